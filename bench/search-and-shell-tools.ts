// What Glob, Grep and Bash cost beside the bare programs and beside the same tools of @anthropic-ai/sdk, turn by turn.
// Run: node bench/search-and-shell-tools.ts [rounds] [folder]

import { execFile, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { betaBashTool, betaGlobTool, betaGrepTool } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { rgPath } from '@vscode/ripgrep';

import { bashTool, globTool, grepTool } from '../src/tools/index.ts';

const rounds = Number(process.argv[2] ?? 15);
const folder = resolve(process.argv[3] ?? '.');
const run = promisify(execFile);
type ToolContext = Parameters<ReturnType<typeof globTool>['execute']>[1];

const values = new Map<symbol, unknown>();
const context: ToolContext = {
  callId: 'call_1',
  idempotencyKey: 'msg_1/call_1',
  signal: new AbortController().signal,
  turnContext: undefined,
  session: {
    id: 'session_1',
    get<T>(key: symbol, create: () => T): T {
      if (!values.has(key)) values.set(key, create());
      return values.get(key) as T; // one key belongs to one creator
    },
  },
  conversation: { system: [], messages: [] },
  progress: () => {},
};

const ours = { glob: globTool({ cwd: folder }), grep: grepTool({ cwd: folder }), bash: bashTool({ cwd: folder }) };
const theirs = {
  glob: betaGlobTool({ workdir: folder }),
  grep: betaGrepTool({ workdir: folder }),
  bash: betaBashTool({ workdir: folder }),
};

// Exit code 1 of rg is "nothing found".
const rg = (...args: readonly string[]) =>
  run(rgPath, args, { cwd: folder, maxBuffer: 2 ** 30 }).catch((error: unknown) => error);
const bare = (command: string) =>
  new Promise((done) =>
    spawn('bash', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }).on('close', done),
  );

type Work = () => unknown;
const rare = 'createSearchAnswer|zzz_never';

const rows: readonly (readonly [name: string, ours: Work, bare: Work, theirs: Work])[] = [
  [
    'Grep, rare pattern, files',
    () => ours.grep.execute({ pattern: rare }, context),
    () => rg('-l', '-e', rare, '--', '.'),
    () => theirs.grep.run({ pattern: rare }),
  ],
  [
    'Grep, frequent pattern, 250 lines',
    () => ours.grep.execute({ pattern: 'the', output_mode: 'content' }, context),
    () => rg('-n', '-e', 'the', '--', '.'),
    () => theirs.grep.run({ pattern: 'the' }),
  ],
  [
    'Grep, frequent pattern, counts',
    () => ours.grep.execute({ pattern: '^', output_mode: 'count', head_limit: 0 }, context),
    () => rg('-c', '-e', '^', '--', '.'),
    () => theirs.grep.run({ pattern: '^' }),
  ],
  [
    'Glob, all files',
    () => ours.glob.execute({ pattern: '**/*' }, context),
    () => rg('--files'),
    () => theirs.glob.run({ pattern: '**/*' }),
  ],
  [
    'Bash, true',
    () => ours.bash.execute({ command: 'true' }, context),
    () => bare('true'),
    () => theirs.bash.run({ command: 'true' }),
  ],
];

for (const [name, mine, program, other] of rows) await measure(name, { mine, program, other });
process.exit(0); // the peer's shell stays open

async function measure(name: string, works: Readonly<Record<'mine' | 'program' | 'other', Work>>): Promise<void> {
  const spent = { mine: [] as number[], program: [] as number[], other: [] as number[] };
  for (let round = -2; round < rounds; round++) {
    // Each takes each turn: none always runs behind the heaviest.
    const order = (['mine', 'program', 'other'] as const).map(
      (_, index, all) => all[(index + round + 3) % 3] ?? 'mine',
    );
    for (const who of order) {
      const start = performance.now();
      await works[who]();
      if (round >= 0) spent[who].push(performance.now() - start); // the first rounds warm up
    }
  }
  const ratio = (who: 'program' | 'other') => median(spent.mine.map((ms, index) => ms / (spent[who][index] ?? ms)));
  const figure = (who: keyof typeof spent) =>
    `${median(spent[who]).toFixed(1)} ms (least ${Math.min(...spent[who]).toFixed(1)})`;
  const more = median(spent.mine.map((ms, index) => ms - (spent.program[index] ?? ms)));
  process.stdout.write(
    `${name}: ours ${figure('mine')}, bare program ${figure('program')}, peer ${figure('other')}; to the program ${ratio('program').toFixed(2)} (${more.toFixed(1)} ms), to the peer ${ratio('other').toFixed(2)}\n`,
  );
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
