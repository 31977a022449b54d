// The models that guides, examples and the library's own texts name: none that its provider is about to switch off.

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');
const deprecated: ReadonlySet<string> = new Set([...deprecatedByAnthropic(), ...deprecatedByOpenAI()]);

/** What may be named anyway. */
const listed: ReadonlySet<string> = new Set([
  'src/realtime/openai/encode-session.ts: gpt-4o-mini-transcribe', // servers of the former protocol know only older ones
  'src/adapters/openai/responses/encode.ts: gpt-4', // a pattern that recognises old models
]);

test('the SDKs list deprecated models', () => {
  expect([...deprecated]).toEqual(expect.arrayContaining(['claude-sonnet-4-5', 'gpt-5', 'gpt-realtime', 'whisper-1']));
});

test('guides, examples and sources name no deprecated model', () => {
  const paths = globSync(['*.md', 'docs/*.md', 'examples/**/*.{md,ts,tsx}', 'src/**/*.{ts,tsx}'], { cwd: root });
  const named = paths.flatMap((path) =>
    (read(path).match(/(?<![\w.-])(?:claude|gpt|chatgpt|codex|whisper|o\d)[\w.-]*\w/g) ?? [])
      .filter((word) => deprecated.has(word))
      .map((word) => `${path}: ${word}`),
  );
  expect(paths).toContain('examples/providers.ts');
  expect(named.filter((one) => !listed.has(one))).toEqual([]);
});

// A table the SDK warns by; no entry of the package exports it.
function deprecatedByAnthropic(): readonly string[] {
  const table = read('node_modules/@anthropic-ai/sdk/internal/data/deprecated-models.js');
  return [...table.matchAll(/'(claude-[\w.-]+)':/g)].map(([, name = '']) => name);
}

// Comments "Deprecated values:" on the types of model ids.
function deprecatedByOpenAI(): readonly string[] {
  return globSync('node_modules/openai/resources/{shared,realtime/*}.d.ts', { cwd: root })
    .flatMap((path) => [...read(path).matchAll(/\* Deprecated values:[^]*?\*\//g)])
    .flatMap(([comment]) => [...comment.matchAll(/"([\w.-]+)"/g)].map(([, name = '']) => name));
}
