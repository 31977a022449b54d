import { expect, it } from 'vitest';

import type { Tool } from '../../src/contracts/tool.ts';
import { checkTool } from '../../src/testing/check-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolResult } from '../../src/tools/tool-result.ts';

const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const good = defineTool({
  name: 'echo',
  description: 'Echoes.',
  parameters,
  isConcurrencySafe: true,
  execute: (args) => args,
});
const examples = [{ text: 'hello' }];

/** The good tool with one part made wrong. */
const broken = (part: Partial<Tool>): Tool => ({ ...good, ...part });
const definition = good.definition;

it('passes a good tool, and runs it only with examples', async () => {
  expect((await checkTool(good)).length).toBe(4);
  expect((await checkTool(good, { examples })).length).toBe(12);
});

it.each<[fault: string, tool: Tool]>([
  ['has a name every provider accepts', broken({ name: 'no spaces' })],
  ['has a name every provider accepts', broken({ definition: { ...definition, name: 'other' } })],
  ['describes itself', broken({ definition: { ...definition, description: ' ' } })],
  [
    'has parameters that are JSON Schema of an object',
    broken({ definition: { ...definition, parameters: { type: 'string' } } }),
  ],
  [
    'has parameters that are JSON Schema of an object',
    broken({ definition: { ...definition, parameters: { type: 'object', required: ['x'] } } }),
  ],
  [
    'parse never throws',
    broken({ parse: (args) => (args === null ? good.parse(Reflect.get(args as never, 'x')) : good.parse(args)) }),
  ],
  [
    'parse never throws',
    broken({ parse: (args) => (good.parse(args).ok ? good.parse(args) : { ok: false, message: '' }) }),
  ],
  ['accepts its examples', broken({ parse: () => ({ ok: false, message: 'no' }) })],
  ['decides on concurrency and approval', broken({ needsApproval: () => 'yes' as never })],
  ['previews every call as JSON', broken({ preview: () => 10n as never })],
  ['settles with a result', broken({ execute: () => 10n })],
  ['settles with a result', broken({ execute: () => Promise.reject('no error') })],
  ['settles with a result', broken({ execute: () => ToolResult.text('\ud83c') })],
  ['without changing it', broken({ execute: (_, { conversation }) => void conversation.messages.pop() })],
  ['progress as JSON', broken({ execute: (_, { progress }) => progress(10n as never) })],
  ['runs in parallel with itself', broken({ execute: (args, { callId }) => (callId === 'call_2' ? 10n : args) })],
])('%s: reports a tool that does not', async (fault, tool) => {
  await expect(checkTool(tool, { examples })).rejects.toThrow(fault);
});

it('reports a tool that ignores its signal', async () => {
  const deaf = broken({ execute: (args, { signal }) => (signal.aborted ? new Promise(() => {}) : args) });
  await expect(checkTool(deaf, { examples, promptMs: 20 })).rejects.toThrow(
    'settles when its signal was aborted before the call',
  );
});

it('reports a tool that ignores an abort while it runs', async () => {
  // The fourth run is the one that is aborted on its way.
  let runs = 0;
  const deaf = broken({ execute: (args) => (++runs === 4 ? new Promise(() => {}) : args) });
  await expect(checkTool(deaf, { examples, promptMs: 20 })).rejects.toThrow(
    'settles when its signal is aborted while it runs',
  );
});
