// What Read and Edit cost beside the same tools of @anthropic-ai/sdk, in one process, turn by turn.
// Run: node --expose-gc bench/file-tools.ts [rounds] [GB of the large file]

import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { betaEditTool, betaReadTool } from '@anthropic-ai/sdk/tools/agent-toolset/node';

import { editTool, readTool } from '../src/tools/index.ts';
import { context } from './tool-context.ts';

const rounds = Number(process.argv[2] ?? 15);
const gigabytes = Number(process.argv[3] ?? 1);
const folder = await mkdtemp(join(tmpdir(), 'turnchart-bench-'));
const ours = { read: readTool({ cwd: folder }), edit: editTool({ cwd: folder }) };
const theirs = {
  // With its cap Read streams ranges of larger files; Edit refuses them.
  read: betaReadTool({ workdir: folder }),
  edit: betaEditTool({ workdir: folder, maxFileBytes: null }),
};

type Work = (round: number) => unknown;

const line = (index: number): string => `line ${index} of a file\n`;
const part = Array.from({ length: 700_000 }, (_, index) => line(index)).join('');
for (let size = 0; size < gigabytes * 1024 ** 3; size += part.length) await appendFile(join(folder, 'big.txt'), part);
const megabyte = Array.from({ length: 45_000 }, (_, index) => line(index)).join('');
await writeFile(join(folder, 'ours.txt'), megabyte);
await writeFile(join(folder, 'theirs.txt'), megabyte);
await ours.read.execute({ file_path: 'ours.txt', limit: 1 }, context);

const edit = (round: number): { old_string: string; new_string: string } => ({
  old_string: `line ${22_000 + round} of`,
  new_string: `LINE ${22_000 + round} of`,
});
const rows: readonly [name: string, ours: Work, theirs: Work][] = [
  [
    `Read 2,000 lines of ${gigabytes} GB`,
    () => ours.read.execute({ file_path: 'big.txt', offset: 1001, limit: 2000 }, context),
    () => theirs.read.run({ file_path: 'big.txt', view_range: [1001, 3000] }),
  ],
  [
    'Edit in 1 MB',
    (round) => ours.edit.execute({ file_path: 'ours.txt', ...edit(round) }, context),
    (round) => theirs.edit.run({ file_path: 'theirs.txt', ...edit(round) }),
  ],
];

try {
  for (const [name, mine, other] of rows) await measure(name, mine, other);
} finally {
  await rm(folder, { recursive: true });
}

async function measure(name: string, mine: Work, other: Work): Promise<void> {
  const spent: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] };
  for (let round = -2; round < rounds; round++) {
    for (const [who, work] of [['ours', mine] as const, ['theirs', other] as const]) {
      const start = performance.now();
      await work(round + 2);
      // The first rounds warm up.
      if (round >= 0) spent[who].push(performance.now() - start);
    }
  }
  const memory = { ours: await memoryOf(mine, rounds + 2), theirs: await memoryOf(other, rounds + 2) };
  const ratio = median(spent.ours.map((value, index) => value / (spent.theirs[index] ?? value)));
  const figure = (who: 'ours' | 'theirs'): string =>
    `${who} ${median(spent[who]).toFixed(1)} ms (least ${Math.min(...spent[who]).toFixed(1)}), ${memory[who].toFixed(1)} MB more`;
  process.stdout.write(`${name}: ${figure('ours')}; ${figure('theirs')}; time ratio ${ratio.toFixed(2)}\n`);
}

// The most memory in use during one more run, above what was in use before.
async function memoryOf(work: Work, round: number): Promise<number> {
  globalThis.gc?.();
  const used = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, used())), 1);
  await work(round);
  clearInterval(watch);
  return (Math.max(most, used()) - before) / 1024 ** 2;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
