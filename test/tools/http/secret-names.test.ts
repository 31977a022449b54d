import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSecretName } from '../../../src/tools/http/secret-names.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const secretNames = [
  ...[
    'authorization',
    'proxy-authorization',
    'x-ms-authorization-auxiliary',
    'x-auth',
    'xauth',
    'x-auth-token',
    'x-authtoken',
  ],
  ...[
    'authentication',
    'x-amz-security-token',
    'x-csrf-token',
    'x-csrftoken',
    'x-xsrf',
    'private-token',
    'tokens',
    'x-token-2',
  ],
  ...[
    'cookie',
    'cookie2',
    'x-cookies',
    'x-session',
    'x-session-id',
    'sessionid',
    'x-sid',
    'x-api-key',
    'x-apikey',
    'apikey',
  ],
  ...[
    'key',
    'x-keys',
    'ocp-apim-subscription-key',
    'x-functions-key',
    'x-goog-api-key',
    'x-key-id',
    'x-accesskeyid',
    'masterkey',
  ],
  ...[
    'x-api-secret',
    'cf-access-client-secret',
    'clientsecret',
    'x-secretkey',
    'x-secret-2',
    'password',
    'x-passwd',
    'x-pass',
    'pwd',
  ],
  ...[
    'x-keyphrase',
    'keypair',
    'x-keydata',
    'acmekey',
    'daemonkey',
    'x-monkey-key',
    'x-secretarn',
    'oauth',
    'x-oauthtoken',
    'passphrase',
    'x-passcode',
    'x-credential',
    'x-user-credentials',
    'signature',
    'x-hub-signature-256',
    'x-sig',
    'x-hmac',
  ],
  ...[
    'x-jwt',
    'x-jwt-assertion',
    'bearer',
    'x-bearer',
    'dpop',
    'x-otp',
    'x-author-token',
    'x-monkey-secret',
    'x-cache-key-token',
  ],
];

const plainNames = [
  ...[
    'x-author',
    'author',
    'x-authors',
    'x-coauthor',
    'x-keyframe',
    'x-keypad',
    'x-authority',
    'x-author-name',
    'x-authored-by',
    'x-authorship',
  ],
  ...[
    'x-monkey',
    'x-donkeys',
    'turkey',
    'x-hockey',
    'x-jockey',
    'whiskey',
    'x-keyword',
    'x-keywords',
    'x-keyboard',
    'x-keynote',
  ],
  ...[
    'x-keyspace',
    'x-secretary',
    'x-secretariat',
    'x-obsession',
    'x-possession',
    'x-tokenizer',
    'x-tokenization',
    'x-tokenized',
  ],
  ...[
    'x-passenger',
    'x-passage',
    'x-compass',
    'x-bypass',
    'x-sigma',
    'x-side',
    'x-signal',
    'x-assign',
    'x-design',
    'x-path',
  ],
  ...[
    'idempotency-key',
    'x-idempotency-key',
    'x-cache-key',
    'x-partition-key',
    'surrogate-key',
    'x-sort-key',
    'x-public-key',
  ],
  ...[
    'accept',
    'accept-language',
    'content-type',
    'user-agent',
    'x-request-id',
    'traceparent',
    'if-none-match',
    'etag',
    'origin',
  ],
];

/** A name as apps write it: with a vendor in front, in any case, with any of the separators. */
const spelled = (names: readonly string[]) =>
  fc
    .record({
      name: fc.constantFrom(...names),
      vendor: fc.constantFrom('', 'acme-', 'x-acme-', 'x-acme2-'),
      separator: fc.constantFrom('-', '_', '.'),
      spelling: fc.constantFrom('lower', 'upper', 'title', 'camel'),
    })
    .map(({ name, vendor, separator, spelling }) => {
      const words = `${vendor}${name}`.split('-');
      const titled = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
      if (spelling === 'camel') return titled.join('');
      const whole = (spelling === 'title' ? titled : words).join(separator);
      return spelling === 'upper' ? whole.toUpperCase() : whole;
    });

test('names of secrets are found, however they are spelled', () => {
  fc.assert(
    fc.property(spelled(secretNames), (name) => isSecretName(name)),
    { numRuns: 1_000 * runs },
  );
});

test('names that only look like those of secrets are not secret, however they are spelled', () => {
  fc.assert(
    fc.property(spelled(plainNames), (name) => !isSecretName(name)),
    { numRuns: 1_000 * runs },
  );
});

test.each(secretNames)('%s carries a secret', (name) => expect(isSecretName(name)).toBe(true));

test.each(plainNames)('%s carries none', (name) => expect(isSecretName(name)).toBe(false));
