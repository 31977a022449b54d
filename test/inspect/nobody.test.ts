// What an inspector costs where there is none: only the two charts are actors, and nothing is put into short form.

import { expect, test, vi } from 'vitest';
import * as xstate from 'xstate';
import { createEngine, createOperative, defineTool } from '../../src/index.ts';
import { boundedJson } from '../../src/inspect/bounded-json.ts';
import { withTranscript } from '../../src/inspect/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

vi.mock('xstate', { spy: true });
vi.mock('../../src/inspect/bounded-json.ts', { spy: true });

interface Cost {
  readonly actors: number;
  readonly inspected: number;
  readonly summaries: number;
}

// Of a turn with this many tool calls.
async function costOf(calls: number, inspect?: (event: unknown) => void): Promise<Cost> {
  vi.clearAllMocks();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: {} },
    execute: () => 'seen',
  });
  const model = scriptedModel([{ calls: Array.from({ length: calls }, () => ({ name: 'look' })) }, { text: 'Done.' }]);
  const engine = createEngine({ model, tools: [look], ...(inspect === undefined ? {} : { inspect }) });
  const { events } = await createOperative({ engine }).submit('go');
  for await (const event of events) void event;
  const made = vi.mocked(xstate.createActor).mock.calls;
  return {
    actors: made.length,
    inspected: made.filter(([, options]) => options?.inspect !== undefined).length,
    summaries: vi.mocked(boundedJson).mock.calls.length,
  };
}

test('where nobody inspects there is the actor of the operative and of the turn, and no summary, however many calls', async () => {
  const cost: Cost = { actors: 2, inspected: 0, summaries: 0 };
  expect([await costOf(1), await costOf(20)]).toEqual([cost, cost]);
});

test('where somebody does there are more with every call', async () => {
  const inspect = withTranscript((event) => void JSON.stringify(event));
  const [few, many] = [await costOf(1, inspect), await costOf(20, inspect)];
  expect(few.inspected).toBeGreaterThan(0);
  expect(few.summaries).toBeGreaterThan(0);
  expect(many.actors - few.actors).toBe(19);
});
