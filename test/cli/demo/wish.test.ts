import { describe, expect, test } from 'vitest';
import type { Goal } from '../../../src/cli/demo/goal.ts';
import { wishOf } from '../../../src/cli/demo/wish.ts';

const typeScript = { label: 'TypeScript', extensions: ['ts', 'tsx', 'mts', 'cts'] };
const anyFile = { label: '', extensions: [] };
const nothing = { count: false, list: false, longest: false, shortest: false, lines: false };

const cases: readonly (readonly [string, Goal])[] = [
  [
    'how many TypeScript files are here, and which is the longest?',
    { type: 'files', kind: typeScript, wanted: { ...nothing, count: true, longest: true } },
  ],
  [
    'How many files are here, and which is the longest?',
    { type: 'files', kind: anyFile, wanted: { ...nothing, count: true, longest: true } },
  ],
  [
    'list the *.ts files',
    { type: 'files', kind: { label: '.ts', extensions: ['ts'] }, wanted: { ...nothing, list: true } },
  ],
  [
    'find all ts files',
    { type: 'files', kind: { label: '.ts', extensions: ['ts'] }, wanted: { ...nothing, list: true } },
  ],
  [
    'what files are in the src/cli folder?',
    { type: 'files', kind: anyFile, folder: 'src/cli', wanted: { ...nothing, list: true } },
  ],
  ['what is in docs?', { type: 'files', kind: anyFile, folder: 'docs', wanted: { ...nothing, list: true } }],
  ['ls', { type: 'files', kind: anyFile, wanted: { ...nothing, list: true } }],
  ['largest file?', { type: 'files', kind: anyFile, wanted: { ...nothing, longest: true } }],
  [
    'which is the shortest markdown file',
    {
      type: 'files',
      kind: { label: 'Markdown', extensions: ['md', 'markdown'] },
      wanted: { ...nothing, shortest: true },
    },
  ],
  [
    'how many lines are there in src?',
    { type: 'files', kind: anyFile, folder: 'src', wanted: { ...nothing, lines: true } },
  ],
  ['HOW MANY FILES ARE HERE', { type: 'files', kind: anyFile, wanted: { ...nothing, count: true } }],
  [
    'hi, please count the Python files',
    { type: 'files', kind: { label: 'Python', extensions: ['py'] }, wanted: { ...nothing, count: true } },
  ],
  ['read package.json', { type: 'read', file: 'package.json' }],
  ['could you show me src/a-b.ts', { type: 'read', file: 'src/a-b.ts' }],
  ['open `my notes.txt`', { type: 'read', file: 'my notes.txt' }],
  ['what does .gitignore say?', { type: 'read', file: '.gitignore' }],
  ['read the readme', { type: 'read', file: 'README.md' }],
  ['show LICENSE', { type: 'read', file: 'LICENSE' }],
  ['read', { type: 'unclear', question: 'Read which file? Say for example: read package.json.' }],
  ['how many lines does src/index.ts have?', { type: 'fileLines', file: 'src/index.ts' }],
  ['how many lines in LICENSE', { type: 'fileLines', file: 'LICENSE' }],
  ['search for TODO', { type: 'search', text: 'TODO', countOnly: false }],
  ['grep "a.b(c)" in src', { type: 'search', text: 'a.b(c)', folder: 'src', countOnly: false }],
  ['where is userMessage defined?', { type: 'search', text: 'userMessage', countOnly: false }],
  ['how many TODOs are there?', { type: 'search', text: 'TODO', countOnly: true }],
  [
    'how often does createEngine occur in test',
    { type: 'search', text: 'createEngine', folder: 'test', countOnly: true },
  ],
  ['search', { type: 'unclear', question: 'Search for what? Say for example: search for "TODO".' }],
  ['run `npm test -- --run`', { type: 'run', command: 'npm test -- --run' }],
  ['execute the command ls -la', { type: 'run', command: 'ls -la' }],
  ['run', { type: 'unclear', question: 'Run which command? Say for example: run `node --version`.' }],
  [
    'make a to-do list: read the code, write a test and ship',
    { type: 'todo', items: ['read the code', 'write a test and ship'] },
  ],
  ['hello there!', { type: 'greeting' }],
  ['thanks a lot', { type: 'thanks' }],
  ['what can you do?', { type: 'capabilities' }],
  ['stop!', { type: 'stop' }],
  ['go on', { type: 'continue' }],
  ['what is the meaning of life?', { type: 'unknown', words: 'what is the meaning of life?' }],
  ['', { type: 'unknown', words: '' }],
];

describe('wishOf', () => {
  test.for(cases)('understands "%s"', ([words, goal]) => {
    expect(wishOf(words).goals).toEqual([goal]);
  });

  test('sees several goals in one message, in order', () => {
    expect(wishOf('list files in docs, then read LICENSE; thanks').goals.map(({ type }) => type)).toEqual([
      'files',
      'read',
      'thanks',
    ]);
  });

  test.for([
    ['instead, read package.json', 'instead'],
    ['no, search for TODO instead', 'instead'],
    ['instead of that read package.json', 'instead'],
    ['also read package.json', 'also'],
    ['and then read package.json', 'also'],
    ['read package.json', 'new'],
  ] as const)('"%s" relates as %s', ([words, relation]) => {
    expect(wishOf(words).relation).toBe(relation);
  });

  test('a relating word is not part of the goal', () => {
    expect(wishOf('wait, read package.json instead').goals).toEqual([{ type: 'read', file: 'package.json' }]);
    expect(wishOf('instead search for "TODO"').goals).toEqual([{ type: 'search', text: 'TODO', countOnly: false }]);
  });
});
