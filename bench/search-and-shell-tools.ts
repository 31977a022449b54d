// What Glob, Grep and Bash cost beside the bare programs and beside the same tools of @anthropic-ai/sdk, turn by turn.
// Run: node bench/search-and-shell-tools.ts [rounds] [folder]

import { execFile, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { betaBashTool, betaGlobTool, betaGrepTool } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { rgPath } from '@vscode/ripgrep';

import { bashTool, globTool, grepTool } from '../src/tools/index.ts';
import { context } from './tool-context.ts';

const rounds = Number(process.argv[2] ?? 31);
const folder = resolve(process.argv[3] ?? '.');
const run = promisify(execFile);

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

// Ours and the program turn by turn, each as often first as second; the peer beside them in turns of its own, so that
// what it leaves running burdens neither. The best of many says what the work costs, the middle what a busy machine adds.
async function measure(name: string, works: Readonly<Record<'mine' | 'program' | 'other', Work>>): Promise<void> {
  const spent = { mine: [] as number[], program: [] as number[], other: [] as number[] };
  const take = async (who: keyof typeof spent, isCounted: boolean): Promise<void> => {
    const start = performance.now();
    await works[who]();
    if (isCounted) spent[who].push(performance.now() - start);
  };
  for (let round = -3; round < rounds; round++) {
    const order = round % 2 === 0 ? (['mine', 'program'] as const) : (['program', 'mine'] as const);
    for (const who of order) await take(who, round >= 0); // the first rounds warm up
  }
  for (let round = -1; round < Math.ceil(rounds / 4); round++) await take('other', round >= 0);
  const best = (who: keyof typeof spent) => Math.min(...spent[who]);
  const figure = (who: keyof typeof spent) => `${best(who).toFixed(1)} (${median(spent[who]).toFixed(1)})`;
  const middle = median(spent.mine.map((ms, index) => ms / (spent.program[index] ?? ms)));
  process.stdout.write(
    `${name}: ms, best (middle): ours ${figure('mine')}, program ${figure('program')}, peer ${figure('other')}; ` +
      `to the program ${(best('mine') / best('program')).toFixed(2)} (${middle.toFixed(2)}), ` +
      `${(best('mine') - best('program')).toFixed(1)} ms more; to the peer ${(best('mine') / best('other')).toFixed(2)}\n`,
  );
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
