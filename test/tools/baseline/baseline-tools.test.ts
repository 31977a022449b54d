import { expect, it } from 'vitest';

import { checkTool } from '../../../src/testing/check-tool.ts';
import { baselineTools } from '../../../src/tools/index.ts';
import { workbench } from './workbench.ts';

const facts = (name: string): unknown => {
  const { isConcurrencySafe, needsApproval, replay } =
    baselineTools({ cwd: '/' }).find((tool) => tool.name === name) ?? {};
  return { isConcurrencySafe, needsApproval, replay };
};

it.each([
  ['Read', true, false, 'safe'],
  ['Write', false, undefined, 'unsafe'],
  ['Edit', false, undefined, 'unsafe'],
  ['NotebookEdit', false, undefined, 'unsafe'],
  ['TodoWrite', false, false, 'safe'],
])('%s: beside others %s, asks %s, again after a crash %s', (name, isConcurrencySafe, needsApproval, replay) => {
  expect(facts(name)).toEqual({ isConcurrencySafe, needsApproval, replay });
});

it.each<[name: string, example: object]>([
  ['Read', { file_path: 'a.txt' }],
  ['Write', { file_path: 'new.txt', content: 'text' }],
  ['Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'x' }],
  ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: '0', new_source: 'x' }],
  ['TodoWrite', { todos: [{ content: 'a', status: 'pending', activeForm: 'b' }] }],
])('%s keeps the rules for tools', async (name, example) => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n');
  await bench.put('n.ipynb', '{}');
  await expect(checkTool(bench.tool(name), { examples: [example] })).resolves.toHaveLength(12);
});

it('serves any number of conversations: nothing of a session stays in the tools', async () => {
  const one = await workbench();
  await one.put('a.txt', 'x\n');
  await one.read('a.txt');
  const two = await workbench({ cwd: one.folder });
  expect(await two.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' })).toMatchObject({
    isError: true,
  });
});

it.each([{}, { cwd: 7 }, { cwd: 'here' }])('%o is refused in words when the tools are made', (options) => {
  // For callers without types.
  expect(() => baselineTools(options as never)).toThrow(
    expect.objectContaining({ code: 'options.invalid', message: expect.stringContaining('cwd') as string }),
  );
});
