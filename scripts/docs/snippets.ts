// Puts regions of examples into Markdown, between markers that stay. Called by scripts/docs.ts.
//
//     <!-- snippet: examples/steering.ts#cancel -->
//     …replaced…
//     <!-- /snippet -->
//
// In the example the region is between `// #region cancel` and `// #endregion cancel`; without `#…` it is the whole
// file. Lines that only mark regions are left out, and imports name the package's entries.

import { entrySources, readManifest } from '../manifest.ts';

const manifest = await readManifest();
const entryNames = new Map(
  [...entrySources(manifest)].map(([entry, source]) => [source, `${manifest.name}${entry.slice(1)}`]),
);

const opening = /^([ \t]*)<!-- snippet: (\S+?)(?:#(\S+))? -->[ \t]*$/;
const closing = /^[ \t]*<!-- \/snippet -->[ \t]*$/;
const marker = /^\s*\/\/ #(region|endregion)\b(?:[ \t]+(\S+))?[ \t]*$/;

/** The text with every snippet filled in. Throws an Error that names the file and line of an invalid marker. */
export async function fillSnippets(
  path: string,
  text: string,
  readExample: (path: string) => Promise<string>,
): Promise<string> {
  const lines = text.split('\n');
  const filled: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    filled.push(line);
    const where = `${path}:${index + 1}`;
    if (closing.test(line)) throw new Error(`${where}: a snippet ends here that never began.`);
    const match = opening.exec(line);
    if (match === null) {
      if (/<!--\s*snippet\b/.test(line)) {
        throw new Error(`${where}: expected "<!-- snippet: examples/file.ts#region -->" alone on its line.`);
      }
      continue;
    }
    const [, indent = '', example = '', region] = match;
    const end = lines.findIndex((other, at) => at > index && closing.test(other));
    const next = lines.findIndex((other, at) => at > index && opening.test(other));
    if (end < 0 || (next >= 0 && next < end)) throw new Error(`${where}: "<!-- /snippet -->" is missing.`);
    const code = regionOf(where, example, region, await readExample(example)).map(asInstalled);
    const fence = ['```ts', ...code, '```'].map((one) => (one === '' ? '' : indent + one));
    filled.push('', ...fence, '', lines[end] ?? '');
    index = end;
  }
  return filled.join('\n');
}

// `'../src/testing/index.ts'` → `'turnchart/testing'`: what readers who installed the package write.
function asInstalled(line: string): string {
  return line.replace(/'(?:\.\.\/)+(src\/[^']+)'/, (whole, path: string) => {
    const entry = entryNames.get(path);
    return entry === undefined ? whole : `'${entry}'`;
  });
}

function regionOf(where: string, example: string, region: string | undefined, source: string): readonly string[] {
  const lines = source.trimEnd().split('\n');
  if (region === undefined) return lines.filter((line) => !marker.test(line));
  const begins = lines.flatMap((line, index) => (isMarker(line, 'region', region) ? [index] : []));
  const start = begins[0] ?? -1;
  const end = lines.findIndex((line, index) => index > start && isMarker(line, 'endregion', region));
  if (begins.length !== 1 || end < 0) {
    const found = begins.length > 1 ? `${begins.length} of them` : start < 0 ? 'none' : 'no end of it';
    throw new Error(
      `${where}: expected one "// #region ${region}" … "// #endregion ${region}" in ${example}, found ${found}.`,
    );
  }
  const inside = lines.slice(start + 1, end).filter((line) => !marker.test(line));
  if (inside.every((line) => line.trim() === ''))
    throw new Error(`${where}: the region "${region}" of ${example} is empty.`);
  return dedent(inside);
}

function isMarker(line: string, kind: string, region: string): boolean {
  const [, found, name] = marker.exec(line) ?? [];
  return found === kind && name === region;
}

function dedent(lines: readonly string[]): readonly string[] {
  const filled = lines.filter((line) => line.trim() !== '');
  const depth = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  const cut = lines.map((line) => line.slice(depth));
  while (cut[0]?.trim() === '') cut.shift();
  while (cut.at(-1)?.trim() === '') cut.pop();
  return cut;
}
