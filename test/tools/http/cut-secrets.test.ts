// Secrets at the places where something of an answer is cut off: nothing of them is ever shown, wherever the cut falls.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defineHttpTool, type HttpToolSpecification } from '../../../src/tools/http/index.ts';
import { withoutSecrets } from '../../../src/tools/http/secrets.ts';
import { ToolResult } from '../../../src/tools/tool-result.ts';
import { callTool, newContext } from '../baseline/workbench.ts';

const runs = 200 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const parameters = { type: 'object', properties: {} } as const;

interface Sent {
  readonly secret: string;
  readonly type: string;
  readonly parts: readonly string[];
  readonly maxResponseBytes: number;
}

async function shown(
  { secret, type, parts, maxResponseBytes }: Sent,
  more: Partial<HttpToolSpecification<typeof parameters>> = {},
): Promise<string> {
  const encoder = new TextEncoder();
  const tool = defineHttpTool({
    name: 'get',
    description: 'Gets.',
    parameters,
    maxResponseBytes,
    buildRequest: () => new Request('https://example.com/', { headers: { authorization: `Bearer ${secret}` } }),
    fetch: async () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            for (const part of parts) controller.enqueue(encoder.encode(part));
            controller.close();
          },
        }),
        { headers: { 'content-type': type } },
      ),
    ...more,
  });
  return (await callTool(tool, {}, newContext())).text;
}

// No other part of an answer has these characters.
const secretCharacters = 'qzjQZJ946"&/+%=<\\';
const ofSecrets = /[qzj946"&/+%=<\\]/i;
const secrets = fc
  .string({ unit: fc.constantFrom(...secretCharacters), minLength: 8, maxLength: 40 })
  .filter((secret) => secret.trim() === secret);

/** How servers write what they were sent. */
const writers: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  (text) => text.replaceAll(/["&+<]/g, (character) => `\\u${hexOf(character).toUpperCase().padStart(4, '0')}`),
  (text) => encodeURIComponent(text),
  (text) => text.replaceAll(/[^\w]/g, (character) => `%${hexOf(character)}`),
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  (text) => text.replaceAll(/[&<"=]/g, (character) => `&#${character.charCodeAt(0)};`),
];

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16);
}

const types = fc.constantFrom('text/plain', 'application/json', 'application/x-ndjson', 'text/html', 'text/xml');

const sent: fc.Arbitrary<Sent> = fc
  .record({
    secret: secrets,
    writer: fc.constantFrom(...writers),
    type: types,
    fillers: fc.array(fc.string({ unit: fc.constantFrom('X', 'K', ' ', ':'), maxLength: 20 }), {
      minLength: 1,
      maxLength: 4,
    }),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    splits: fc.integer({ min: 1, max: 30 }),
  })
  // In a page such a text would be a tag, which no server can mean.
  .filter(({ type, writer, secret }) => type !== 'text/html' || !writer(secret).includes('<'))
  .map(({ secret, writer, type, fillers, cut, splits }) => {
    const body = fillers.join(writer(secret));
    return {
      secret,
      type,
      parts: body.match(new RegExp(`[^]{1,${splits}}`, 'g')) ?? [],
      maxResponseBytes: Math.max(1, Math.round(cut * body.length)),
    };
  });

function bodyOf(text: string): string {
  return text
    .slice(text.indexOf('\n') + 1)
    .replace(/\n\n\[cut after \d+ bytes; the body is longer\]$/, '')
    .replaceAll('[redacted]', '');
}

describe('a secret that is cut', () => {
  test('by maxResponseBytes shows nothing of itself, however it is written and wherever the cut falls', async () => {
    await fc.assert(
      fc.asyncProperty(sent, async (answer) => {
        const text = await shown(answer);
        expect(text).toMatch(/^200/);
        expect(bodyOf(text)).not.toMatch(ofSecrets);
      }),
      { numRuns: runs },
    );
  });

  test('at every single place shows nothing of itself, and what stands before it stays', async () => {
    const secret = 'qzj-946-qzj/946';
    const body = `XX ${secret} KK ${secret}`;
    for (let maxResponseBytes = 1; maxResponseBytes <= body.length; maxResponseBytes += 1) {
      const text = bodyOf(await shown({ secret, type: 'text/plain', parts: [body], maxResponseBytes }));
      expect(text).not.toMatch(/[qzj94]/);
      expect(text.startsWith('XX '.slice(0, maxResponseBytes))).toBe(true);
      expect(text.includes(' KK ')).toBe(maxResponseBytes >= body.length - secret.length);
    }
  });

  test.each([
    ['a heading, which becomes capitals', '<h1>K sesame-open-1234</h1>', 16],
    ['a link, whose address comes behind it', '<a href="https://x.org/">K sesame-open-1234</a>', 40],
    ['a table', '<table><tr><td>K sesame-open-1234</td></tr></table>', 30],
    ['a page whose text is longer than what was read', `<ul>${'<li>'.repeat(20)}K sesame-open-1234</ul>`, 2_000],
  ])('in %s shows nothing of itself', async (_, page, maxResponseBytes) => {
    const answer = { secret: 'sesame-open-1234', type: 'text/html', parts: [page], maxResponseBytes };
    expect(await shown(answer)).not.toMatch(/sesa/i);
    for (let bytes = 1; bytes < page.length; bytes += 1) {
      expect(await shown({ ...answer, maxResponseBytes: bytes })).not.toMatch(/ses/i);
    }
  });

  test('by a formatter is hidden once half of it is there', async () => {
    const secret = 'sesame-open-1234';
    const parts = [`K ${secret} K`];
    const answer = { secret, type: 'text/plain', parts, maxResponseBytes: 1_000 };
    for (let length = 2 + secret.length / 2; length <= 2 + secret.length; length += 1) {
      const formatResponse = async (response: Response) => ({ said: (await response.text()).slice(0, length) });
      expect(await shown(answer, { formatResponse })).toBe('{"said":"K [redacted]"}');
    }
  });

  const rethrow = (value: unknown): never => {
    throw value;
  };

  test.each<[string, number, (text: string) => unknown]>([
    ['text', 1_048_576, (text) => text],
    ['value', 1_048_576, (text) => [text]],
    ['result', 1_048_576, (text) => ToolResult.text(text)],
    ['error', 8_192, (text) => new Error(text)],
    ['thrown error', 8_192, (text) => rethrow(new Error(text))],
    ['thrown text', 8_192, rethrow],
  ])('by the most a %s may have, %d bytes, shows nothing of itself', async (_, length, give) => {
    const secret = 'qzj946'.repeat(20);
    for (const shift of [0, 50]) {
      const text = `${'X'.repeat(shift)}${`${secret} `.repeat(length / 60)}`;
      const formatResponse = async (response: Response) => give(await response.text());
      const answer = { secret, type: 'text/plain', parts: [text], maxResponseBytes: 4 * length };
      expect(await shown(answer, { formatResponse })).not.toMatch(/qz|946q/);
    }
  });
});

describe('texts without secrets', () => {
  test('have none of them, also where they share characters or one begins another', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: fc.constantFrom('q', 'z'), minLength: 6, maxLength: 12 }), { maxLength: 3 }),
        fc.array(fc.oneof(fc.string({ unit: fc.constantFrom('q', 'z', 'X'), maxLength: 9 }), fc.nat({ max: 2 }))),
        (known, pieces) => {
          const text = pieces.map((piece) => (typeof piece === 'number' ? (known[piece] ?? '') : piece)).join('');
          const clean = withoutSecrets(text, new Set(known));
          for (const secret of known) expect(clean).not.toContain(secret);
        },
      ),
      { numRuns: 5 * runs },
    );
  });

  test('are as they were where there is no secret in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('X', 'K', ' ', '\\', '%', '&', 'é', '𝄞') }), (text) => {
        expect(withoutSecrets(text, new Set(['sesame-open', 'qzj-qzj']))).toBe(text);
      }),
      { numRuns: runs },
    );
  });
});
