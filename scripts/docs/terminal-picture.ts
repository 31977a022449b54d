// The output of the command as a picture of a terminal. Called by scripts/demo-picture.ts.

/** Characters of a line; longer ones are wrapped between words. */
const columns = 104;
const left = 18;
const top = 58;
const lineHeight = 20;

/** How lines look, by how they begin; the first that fits. */
const looks = [
  ['head', /^▸/],
  ['typed', /^[›↪]/],
  ['done', /^✓/],
  ['state', /^ {2}\(/],
  ['dim', /^(?:[·$]| {2}|A guided demo)/],
  ['plain', /^/],
] as const;

/** An SVG in the reader's colour scheme, light or dark. `label` describes it to those who do not see it. */
export function terminalPicture(text: string, label: string): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const look = looks.find(([, beginning]) => beginning.test(line))?.[0] ?? 'plain';
      return wrapped(line).map((part) => ({ part, look }));
    });
  const height = top + lines.length * lineHeight;
  const drawn = lines.flatMap(({ part, look }, index) =>
    part === '' ? [] : [`<text class="${look}" x="${left}" y="${top + index * lineHeight}">${escaped(part)}</text>`],
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="${height}" viewBox="0 0 900 ${height}" role="img" aria-label="${escaped(label)}">
<style>
text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #24292f }
.screen { fill: #f6f8fa; stroke: #d0d7de } .head { font-weight: 600 } .typed { fill: #0550ae } .done { fill: #116329 } .state { fill: #6639ba } .dim { fill: #57606a }
@media (prefers-color-scheme: dark) {
text { fill: #d7dce2 }
.screen { fill: #15191e; stroke: #30363d } .head { fill: #ffffff } .typed { fill: #7cc4ff } .done { fill: #8fd694 } .state { fill: #c9a7ff } .dim { fill: #8a94a0 }
}
</style>
<rect class="screen" x="0.5" y="0.5" width="899" height="${height - 1}" rx="8"/>
<circle cx="20" cy="18" r="6" fill="#e5655b"/><circle cx="40" cy="18" r="6" fill="#e0b04a"/><circle cx="60" cy="18" r="6" fill="#63b858"/>
${drawn.join('\n')}
</svg>
`;
}

function wrapped(line: string): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > 0 ? space : columns;
    parts.push(rest.slice(0, end));
    rest = `  ${rest.slice(end).trimStart()}`;
  }
  return [...parts, rest];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
