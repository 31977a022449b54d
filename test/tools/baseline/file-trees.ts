// Arbitrary folders with nested ignore files and odd names, for tests that compare our tools with git and ripgrep.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import fc from 'fast-check';

export type FileTree = readonly (readonly [path: string, content: string])[];

const name = fc.constantFrom(
  'a',
  'b',
  'src',
  'dist',
  'x y',
  'éa', // git's ? is one byte, everybody else's one character: no name of one character beyond ASCII
  '[id]',
  '(g)',
  '#x',
  '!x',
  '-f',
  'a.b',
  '{c}',
  "it's",
  'A',
  '$x',
  '.h',
);
const file = fc.constantFrom(
  'a.ts',
  'b.js',
  'c.log',
  'd',
  'x y.ts',
  'é.ts',
  '#a.ts',
  '!a.ts',
  '-a.ts',
  '.hid.ts',
  'A.TS',
  '[b].ts',
  'keep.log',
  '*.ts',
  'b\nc.ts',
);
const ruleLines = [
  '*.log',
  '!keep.log',
  'dist',
  'dist/',
  '/dist',
  '/a',
  'a/b',
  'src/**',
  '**/b',
  'b/**/d',
  '!a',
  '!b/',
  '\\#x',
  '\\!x',
  '*.ts',
  '!*.ts',
  '?',
  '[ab]*',
  'x y',
  'x\\ y',
  '# a comment',
  '',
  '  ',
  'd ',
  '/*',
  '!/a',
  '!src/',
  '*',
  '!*/',
  'a/*',
  '!a/a.ts',
  '**/dist/**',
  '.h',
  '\\[id\\]',
  '{c}',
];
// Where ripgrep reads a line otherwise than git.
const gitLines = [
  ...ruleLines,
  '[!a]*',
  '[^a]*.ts',
  '[a-c]*',
  '[[:upper:]].*',
  '[]a]*',
  '[',
  'a[',
  'x\\',
  '**',
  '**/',
  '/**',
  'a**',
  'a/**/d',
  '/*/a.ts',
  '*/*/*',
  '!**/a.ts',
  '!/**/',
  '\\*.ts',
  '*.t?',
  '#',
  '!',
  '/',
  '//',
  'dist\r',
  'x y  ',
  'x\\ ',
  '*a*a*',
  '.*',
  '!.h',
  'b/.',
];
const folder = fc.array(name, { maxLength: 3 }).map((parts) => parts.join('/'));
const content = fc.constantFrom(
  'foo\n',
  'bar\nfoo bar\n\nbaz',
  'FOO\r\nfoo\r\n',
  '',
  'no match here\n',
  'foo foo\nx\ny\nz\nfoo',
);

/** A tree; where names clash the first one stands. */
const treesWith = (lines: readonly string[]) =>
  fc
    .tuple(
      fc.array(fc.tuple(folder, file, content), { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(folder, fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 4 })), { maxLength: 4 }),
    )
    .map(([files, rules]): FileTree => {
      const all = [
        ...files.map(([where, what, text]) => [where === '' ? what : `${where}/${what}`, text] as const),
        ...rules.map(
          ([where, lines]) => [where === '' ? '.gitignore' : `${where}/.gitignore`, `${lines.join('\n')}\n`] as const,
        ),
      ];
      const taken = new Set<string>();
      const folders = new Set<string>();
      return all.filter(([path]) => {
        const above = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
        if (taken.has(path) || folders.has(path) || above.some((each) => taken.has(each))) return false;
        taken.add(path);
        for (const each of above) folders.add(each);
        return true;
      });
    });

export const fileTrees = treesWith(ruleLines);
/** With ignore files that only git reads as git does. */
export const gitTrees = treesWith(gitLines);

/** Writes the tree below a folder. */
export async function plant(root: string, tree: FileTree): Promise<void> {
  for (const [path, text] of tree) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
