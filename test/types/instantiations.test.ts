// What a user's file of ten tools costs the type checker, as the compiler itself counts it.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Instantiations of a program with one file. */
async function instantiationsOf(folder: string, name: string, source: string): Promise<number> {
  const file = join(folder, `${name}.ts`);
  await writeFile(file, source);
  const project = join(folder, `${name}.json`);
  await writeFile(project, JSON.stringify({ extends: resolve(root, 'tsconfig.json'), include: [], files: [file] }));
  const { stdout } = await run(process.execPath, [
    resolve(root, 'node_modules/typescript/bin/tsc'),
    ...['-p', project, '--extendedDiagnostics'],
  ]);
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
}

test('ten tools cost at most 10,000 instantiations more than their imports', async () => {
  const imports = `import { z } from 'zod';\nimport { defineTool } from '../src/index.ts';\n`;
  const tool = (n: number) => `export const tool${n} = defineTool({
    name: 'tool${n}',
    description: 'A tool.',
    parameters: z.object({ path: z.string(), limit: z.number().optional(), kinds: z.array(z.enum(['a', 'b'])) }),
    execute: ({ path, limit, kinds }) => ({ path, limit: limit ?? ${n}, kinds }),
  });\n`;
  const folder = await mkdtemp(join(root, '.types-'));
  try {
    const bare = await instantiationsOf(folder, 'bare', `${imports}export const used = [z, defineTool];\n`);
    const tools = Array.from({ length: 10 }, (_, n) => tool(n)).join('');
    const whole = await instantiationsOf(folder, 'whole', imports + tools);
    expect(whole - bare).toBeGreaterThan(0);
    expect(whole - bare).toBeLessThanOrEqual(10_000);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
