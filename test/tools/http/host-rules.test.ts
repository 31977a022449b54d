// Addresses a model must not reach through a tool, in every form they can be written in.

import dns from 'node:dns';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { isPrivateAddress, refusalOf } from '../../../src/tools/http/host-rules.ts';
import { defineHttpTool } from '../../../src/tools/http/index.ts';
import { callTool, newContext } from '../baseline/workbench.ts';
import { localServer } from './local-server.ts';

const runs = 500 * Number(process.env['TURNCHART_RUNS'] ?? 1);

afterEach(() => vi.restoreAllMocks());

describe('without a list', () => {
  test.each([
    'http://localhost/',
    'http://LOCALHOST./',
    'http://app.localhost:3000/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://intranet/',
    'http://router.home.arpa/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[::127.0.0.1]/',
    'http://[::7f00:1]/',
    'http://[fec0::1]/',
    'http://[4000::1]/',
    'http://localhost../',
    'http://localhost.localdomain/',
    'http://wiki.corp/',
    'http://router.home/',
    'http://db.private./',
    'http://168.63.129.16/',
    'http://%6c%6fcalhost/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://１２７.０.０.１/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
  ])('%s is refused', (address) => {
    expect(refusalOf(new URL(address), {})).toContain('in a private network');
  });

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,x', 'gopher://example.com/'])(
    '%s is refused',
    (address) => {
      expect(refusalOf(new URL(address), {})).toContain('must begin with http: or https:');
    },
  );

  test('a name or password in the address is refused and not quoted', () => {
    const refusal = refusalOf(new URL('https://user:hunter22@example.com/'), {});
    expect(refusal).toContain('password');
    expect(refusal).not.toContain('hunter22');
  });

  test.each([
    'https://example.com/',
    'http://93.184.216.34:8080/',
    'https://[2606:2800:220:1::1]/',
    'https://münchen.de/',
  ])('%s may be reached', (address) => {
    expect(refusalOf(new URL(address), {})).toBeUndefined();
  });
});

describe('a list', () => {
  test.each([
    ['example.com', 'https://example.com/', true],
    ['EXAMPLE.com', 'https://example.com:8443/', true],
    ['example.com', 'https://example.com./', true],
    ['example.com', 'https://www.example.com/', false],
    ['example.com', 'https://example.com.evil.org/', false],
    ['example.com', 'https://evil.org/?example.com', false],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:8443', 'https://example.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'http://example.com/', false],
    ['münchen.de', 'https://xn--mnchen-3ya.de/', true],
    ['localhost', 'http://localhost:3000/', false],
    ['localhost:3000', 'http://localhost:3000/', true],
    ['127.0.0.1:80', 'http://2130706433/', true],
    ['[::1]:3000', 'http://[::1]:3000/', true],
    ['::1', 'http://[::1]:3000/', false],
  ])('with %s and %s: %s', (entry, address, isAllowed) => {
    expect(refusalOf(new URL(address), { allowHosts: [entry] }) === undefined).toBe(isAllowed);
  });

  test('that is empty allows nothing', () => {
    expect(refusalOf(new URL('https://example.com/'), { allowHosts: [] })).toContain('It may reach: none.');
  });

  test('of names leads to private ones with allowPrivateAddresses', () => {
    const rules = { allowHosts: ['localhost'], allowPrivateAddresses: true };
    expect(refusalOf(new URL('http://localhost:3000/'), rules)).toBeUndefined();
  });
});

test('an IPv4 address is private in IPv6 dress whenever it is private bare', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const dressed of [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `::${hex}`]) {
        if (isPrivateAddress(address)) expect(isPrivateAddress(dressed)).toBe(true);
      }
    }),
    { numRuns: runs },
  );
});

test('no written form of a private IPv4 address gets through', () => {
  const privateParts = fc.constantFrom<readonly number[]>(
    [127, 0, 0, 1],
    [10, 0, 0, 9],
    [192, 168, 7, 7],
    [169, 254, 169, 254],
  );
  const base = fc.constantFrom(8, 10, 16);
  fc.assert(
    fc.property(
      privateParts,
      fc.array(base, { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      (parts, bases, count) => {
        // The last number holds all bytes that are left.
        const numbers = [
          ...parts.slice(0, count - 1),
          parts.slice(count - 1).reduce((sum, part) => sum * 256 + part, 0),
        ];
        const written = numbers.map((number, index) => {
          const radix = bases[index] ?? 10;
          return `${radix === 16 ? '0x' : radix === 8 ? '0' : ''}${number.toString(radix)}`;
        });
        expect(refusalOf(new URL(`http://${written.join('.')}/`), {})).toContain('private network');
      },
    ),
    { numRuns: runs },
  );
});

test('no address outside of what is handed out gets through', () => {
  const first = fc.integer({ min: 0, max: 0xffff }).filter((group) => group < 0x2000 || group > 0x3fff);
  fc.assert(
    fc.property(first, fc.ipV6(), (group, rest) => {
      const address = `${group.toString(16)}:${rest.replace(/^[^:]*:/, '')}`;
      fc.pre(!address.includes('.') && URL.canParse(`http://[${address}]/`));
      expect(refusalOf(new URL(`http://[${address}]/`), {})).toContain('private network');
    }),
    { numRuns: runs },
  );
});

describe('a name', () => {
  const tool = defineHttpTool({
    name: 'get',
    description: 'Gets.',
    parameters: z.object({ url: z.string() }),
    buildRequest: ({ url }) => new Request(url),
  });

  test.each([
    [['127.0.0.1'], 4],
    [['93.184.216.34', '10.0.0.1'], 4],
    [['::ffff:10.0.0.1'], 6],
    [['::7f00:1'], 6],
    [['fe80::1%eth0'], 6],
    [[], 4],
  ])('that resolves to %s is refused before anything is sent', async (addresses, family) => {
    await using server = await localServer((_, response) => response.end('private'));
    // Stands for a name server that anybody can own: the rules must hold for whatever it says.
    vi.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      _options: object,
      callback: (...args: unknown[]) => void,
    ) => {
      callback(
        null,
        addresses.map((address) => ({ address, family })),
      );
    }) as unknown as typeof dns.lookup);
    const port = server.host.split(':')[1];
    const answer = await callTool(tool, { url: `http://rebind.example.com:${port}/` }, newContext());
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain('rebind.example.com leads into a private network');
    expect(server.received).toEqual([]);
  });

  test('that a redirect leads to is refused where it resolves to a private address', async () => {
    await using hidden = await localServer((_, response) => response.end('private'));
    const port = hidden.host.split(':')[1];
    await using server = await localServer((_, response) =>
      response.writeHead(302, { location: `http://rebind.example.com:${port}/` }).end(),
    );
    vi.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      _options: object,
      callback: (...args: unknown[]) => void,
    ) => {
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    }) as unknown as typeof dns.lookup);
    const listed = defineHttpTool({
      name: 'get',
      description: 'Gets.',
      parameters: z.object({}),
      allowHosts: [server.host, 'rebind.example.com'],
      buildRequest: () => new Request(`http://${server.host}/`),
    });
    const answer = await callTool(listed, {}, newContext());
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringContaining('leads into a private network') as string,
    });
    expect(hidden.received).toEqual([]);
  });
});
