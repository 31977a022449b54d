// Prints the ten largest source files and functions: a mirror, not a gate.

import { glob, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';

interface Measured {
  readonly lines: number;
  readonly place: string;
}

const root = resolve(import.meta.dirname, '..');
const files: Measured[] = [];
const functions: Measured[] = [];

for await (const path of glob('src/**/*.ts', { cwd: root })) {
  const text = await readFile(resolve(root, path), 'utf8');
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const measure = (node: { readonly start: number; readonly end: number }, name: string | undefined) => {
    const line = lineAt(node.start);
    functions.push({ lines: lineAt(node.end) - line + 1, place: `${path}:${line} ${name ?? '(anonymous)'}` });
  };
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);

  files.push({ lines: lineStarts.length - 1, place: path });
  new Visitor({
    FunctionDeclaration: (node) => measure(node, node.id?.name),
    FunctionExpression: (node) => measure(node, node.id?.name),
    ArrowFunctionExpression: (node) => measure(node, undefined),
  }).visit(program);
}

print('Largest source files', files);
print('Largest functions', functions);

function print(title: string, measured: readonly Measured[]): void {
  console.log(`${title} (lines)`);
  const largest = measured.toSorted((a, b) => b.lines - a.lines || a.place.localeCompare(b.place)).slice(0, 10);
  for (const { lines, place } of largest) console.log(`${String(lines).padStart(5)}  ${place}`);
}
