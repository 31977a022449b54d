// Base64 by each means a platform may offer: all agree.

import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { fromBase64, toBase64 } from '../../../src/realtime/openai/base64.ts';

const runs = 100 * Number(process.env['TURNCHART_RUNS'] ?? 1);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** The module as it loads where there is no Buffer: in browsers. */
async function inBrowser(): Promise<{ toBase64: typeof toBase64; fromBase64: typeof fromBase64 }> {
  vi.resetModules();
  vi.stubGlobal('Buffer', undefined);
  return await import('../../../src/realtime/openai/base64.ts');
}

const bytes = fc.uint8Array({ maxLength: 20_000 });

test('every bytes come back, also from the middle of larger memory', () => {
  fc.assert(
    fc.property(bytes, fc.nat(10), (given, offset) => {
      const whole = new Uint8Array(given.length + offset + 3);
      whole.set(given, offset);
      expect(fromBase64(toBase64(whole.subarray(offset, offset + given.length)))).toEqual(given);
    }),
    { numRuns: runs },
  );
});

test('browsers write and read the same', async () => {
  const texts = fc.sample(bytes, { numRuns: 50, seed: 1 }).map((given) => [given, toBase64(given)] as const);
  const browser = await inBrowser();
  for (const [given, text] of texts) {
    expect(browser.toBase64(given)).toBe(text);
    expect(browser.fromBase64(text)).toEqual(given);
  }
});

test.each(['A', 'AB!D', 'AAAA=A', '====', 'AAAAA', 'é', ' AAAA'])('%j is not base64', async (text) => {
  expect(fromBase64(text)).toBeUndefined();
});

test('a browser throws at nothing', async () => {
  const browser = await inBrowser();
  expect(browser.fromBase64('AB!D')).toBeUndefined();
  expect(browser.fromBase64('A')).toBeUndefined();
});
