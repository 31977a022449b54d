import { describe, expect, test } from 'vitest';
import { openai } from '../../../../src/adapters/openai/index.ts';
import type { ModelError } from '../../../../src/contracts/errors.ts';
import type { ModelRequest, StopReason } from '../../../../src/contracts/model.ts';
import type { Block } from '../../../../src/conversation/block.ts';
import { userMessage } from '../../../../src/conversation/message.ts';
import { collect, collectUntilThrow } from '../../collect.ts';
import { readRecordings, replaying, type Recording } from '../../recordings.ts';
import { comparableItem, itemsOf, reasoningText, toldBy, type Told } from './wire.ts';

const recordings = readRecordings('openai-responses');
const seeds = Array.from({ length: 2 * Number(process.env['TURNCHART_RUNS'] ?? 1) }, (_, seed) => seed + 1);
const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = () => ({ signal: new AbortController().signal });

function modelFor(recording: Recording, seed: number): ReturnType<typeof openai> {
  return openai({ model: 'recorded', api: 'responses', apiKey: 'sk-none', fetch: replaying(recording, seed).fetch });
}

const told = recordings.map((recording) => ({ id: recording.id, recording, told: toldBy(recording) }));
// The deltas of this one were shortened by hand, its whole texts were not.
const shortened = 'rsp-0c12a6497a';
const allAnswers = told.flatMap((one) => (one.told.kind === 'answer' ? [{ ...one, told: one.told }] : []));
const answers = allAnswers.filter((one) => one.id !== shortened);
const errors = told.flatMap((one) => (one.told.kind === 'error' ? [{ ...one, told: one.told }] : []));
const unfinished = told.filter((one) => one.told.kind === 'unfinished');

// Calls of these kinds are for the client; of the recorded ones, the shell calls ran in a container of the provider.
const clientKinds = ['function_call', 'apply_patch_call'];

function expectedStop({ items, status, cut }: Extract<Told, { kind: 'answer' }>): StopReason {
  if (status === 'incomplete') return cut === 'max_output_tokens' ? 'maxTokens' : 'other';
  if (items.some((item) => clientKinds.includes(item['type'] as string))) return 'toolUse';
  return JSON.stringify(items).includes('"type":"refusal"') ? 'refusal' : 'endTurn';
}

test('there are 76 recordings: 70 answers, 3 errors, 3 that never ended', () => {
  expect([recordings.length, allAnswers.length, errors.length, unfinished.length]).toEqual([76, 70, 3, 3]);
});

describe.each(answers)('$id', ({ recording, told: expected }) => {
  test('arrives whole through the SDK, however the network cuts it', async () => {
    for (const seed of seeds) {
      const actual = await collect(modelFor(recording, seed).stream(request, call()));
      expect(itemsOf(actual.content).map(comparableItem)).toEqual(expected.items.map(comparableItem));
      expect(actual.content.flatMap((block) => (block.type === 'thinking' ? [block.text] : []))).toEqual(
        expected.items.filter((item) => item['type'] === 'reasoning').map(reasoningText),
      );
      expect(actual.providerId).toBe(expected.id);
      expect(actual.model).toBe(expected.model);
      expect(actual.stopReason).toBe(expectedStop(expected));
      expect(actual.rawStopReason).toBe(expected.cut ?? expected.status);
      expect(actual.usage?.details).toEqual(expected.usage);
      expect(actual.usage?.inputTokens).toBe(expected.usage?.['input_tokens']);
      expect(actual.usage?.outputTokens).toBe(expected.usage?.['output_tokens']);
    }
  });

  test('gives the parsed arguments of its calls', async () => {
    const { content } = await collect(modelFor(recording, 1).stream(request, call()));
    const calls = content.flatMap((block) => (block.type === 'toolCall' ? [block] : []));
    const asked = expected.items.filter((item) => clientKinds.includes(item['type'] as string));
    expect(calls.map((one) => [one.id, one.args])).toEqual(asked.map((item) => [item['call_id'], argsOf(item)]));
  });
});

function argsOf(item: { readonly [key: string]: unknown }): unknown {
  if (item['type'] === 'apply_patch_call') return item['operation'];
  try {
    return JSON.parse(item['arguments'] as string) as unknown;
  } catch {
    return undefined; // cut off: only `rawArgs` is left, which the first test compares
  }
}

describe.each(errors)('$id', ({ recording, told: expected }) => {
  test('fails with what the server said', async () => {
    const { events, thrown } = await collectUntilThrow(modelFor(recording, 1).stream(request, call()));
    expect(events.filter((event) => event.type !== 'message.start')).toEqual([]);
    expect(thrown).toMatchObject({ retryable: false });
    expect((thrown as ModelError).providerCode).toBe(expected.code);
    expect((thrown as ModelError).status).toBe(expected.status);
    expect((thrown as Error).message).toContain(expected.message.slice(0, 60));
  });
});

test.each(unfinished)('$id is not an answer', async ({ recording }) => {
  const { events, thrown } = await collectUntilThrow(modelFor(recording, 1).stream(request, call()));
  expect(thrown).toMatchObject({ code: 'stream.incomplete', retryable: true });
  expect(events.some((event) => event.type === 'message.end')).toBe(false);
});

test('the last whole text wins over the pieces', async () => {
  const one = allAnswers.find(({ id }) => id === shortened);
  if (one === undefined) throw new Error('the recording is gone');
  const blocks: Block[] = [];
  for await (const event of modelFor(one.recording, 1).stream(request, call())) {
    if (event.type === 'block') blocks.push(event.block);
    if (event.type === 'text.end' && event.block !== undefined) blocks.push(event.block);
  }
  expect(itemsOf(blocks).map(comparableItem)).toEqual(one.told.items.map(comparableItem));
});
