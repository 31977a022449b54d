import { describe, expect, test } from 'vitest';
import { openai } from '../../../../src/adapters/openai/index.ts';
import type { ModelRequest, StopReason } from '../../../../src/contracts/model.ts';
import type { Block } from '../../../../src/conversation/block.ts';
import { userMessage } from '../../../../src/conversation/message.ts';
import { collect, collectUntilThrow } from '../../collect.ts';
import { readRecordings, replaying, type Recording } from '../../recordings.ts';
import { toldBy, type Piece, type Told, type Wire } from './wire.ts';

const recordings = readRecordings('openai-chat');
const seeds = Array.from({ length: 2 * Number(process.env['TURNCHART_RUNS'] ?? 1) }, (_, seed) => seed + 1);
const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = () => ({ signal: new AbortController().signal });

function modelFor(recording: Recording, seed: number): ReturnType<typeof openai> {
  return openai({ model: 'recorded', api: 'chat', apiKey: 'sk-none', fetch: replaying(recording, seed).fetch });
}

const told = recordings.map((recording) => ({ id: recording.id, recording, told: toldBy(recording) }));
const answers = told.flatMap((one) => (one.told.kind === 'answer' ? [{ ...one, told: one.told }] : []));
const errors = told.flatMap((one) => (one.told.kind === 'error' ? [{ ...one, told: one.told }] : []));
const nonsense = told.filter((one) => one.told.kind === 'nonsense');

/** Our blocks as pieces, each kind by its own rule and without the encoder. */
function piecesOf(content: readonly Block[], madeIds: boolean): readonly Piece[] {
  return content.map((block): Piece => {
    switch (block.type) {
      case 'text':
        return { kind: block.refusal ? 'refusal' : 'text', text: block.text };
      case 'thinking':
        return { kind: 'reasoning', text: block.text };
      case 'toolCall': {
        const kept = (block.data as { arguments?: string } | undefined)?.arguments;
        const text = kept ?? block.rawArgs ?? JSON.stringify(block.args);
        return { kind: 'call', id: madeIds ? undefined : block.id, name: block.name, text };
      }
      default:
        throw new Error(`no recording holds a block of type ${block.type}`);
    }
  });
}

/** No argument text means no arguments. */
function comparable(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece) => (piece.kind === 'call' && piece.text === '' ? { ...piece, text: '{}' } : piece));
}

function expectedStop({ pieces, finish }: Extract<Told, { kind: 'answer' }>): StopReason {
  if (finish === 'length') return 'maxTokens';
  if (finish === 'content_filter') return 'refusal';
  if (pieces.some((piece) => piece.kind === 'call')) return 'toolUse';
  return pieces.some((piece) => piece.kind === 'refusal') ? 'refusal' : 'endTurn';
}

/** Servers differ in whether reasoning is part of the output: their total tells. */
function expectedOutput(usage: Wire): number {
  const [input, output, total] = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map(
    (key) => usage[key] as number,
  );
  return input === undefined || output === undefined || total === undefined ? 0 : Math.max(output, total - input);
}

test('there are 91 recordings: 76 answers, 14 errors, 1 that is not an answer', () => {
  expect([recordings.length, answers.length, errors.length, nonsense.length]).toEqual([91, 76, 14, 1]);
});

describe.each(answers)('$id', ({ recording, told: expected }) => {
  test('arrives whole through the SDK, however the network cuts it', async () => {
    for (const seed of seeds) {
      const actual = await collect(modelFor(recording, seed).stream(request, call()));
      const hasNoIds = expected.pieces.every((piece) => piece.kind !== 'call' || piece.id === undefined);
      expect(comparable(piecesOf(actual.content, hasNoIds))).toEqual(comparable(expected.pieces));
      expect(actual.providerId).toBe(expected.id);
      expect(actual.model).toBe(expected.model);
      expect(actual.stopReason).toBe(expectedStop(expected));
      expect(actual.rawStopReason ?? '').toBe(expected.finish);
      expect(actual.usage?.details).toEqual(expected.usage);
      expect(actual.usage?.outputTokens).toBe(
        expected.usage === undefined ? undefined : expectedOutput(expected.usage),
      );
    }
  });

  test('keeps signatures, citations and log probabilities', async () => {
    const { content, meta } = await collect(modelFor(recording, 1).stream(request, call()));
    const details = content.flatMap((block) =>
      block.type === 'thinking' ? ((block.data as { details?: Wire[] }).details ?? []) : [],
    );
    expect(details.flatMap((detail) => detail['signature'] || [])).toEqual(expected.signatures);
    expect(content.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : []))).toEqual(
      expected.citations,
    );
    expect((meta?.['logprobs'] as { content?: unknown[] } | undefined)?.content?.length ?? 0).toBe(expected.logprobs);
  });
});

describe.each(errors)('$id', ({ recording, told: expected }) => {
  test('fails with what the server said', async () => {
    const { events, thrown } = await collectUntilThrow(modelFor(recording, 1).stream(request, call()));
    expect(events.some((event) => event.type === 'message.end')).toBe(false);
    expect((thrown as { status?: number }).status).toBe(expected.status);
    // Keys are not quoted, not even masked ones.
    expect((thrown as Error).message).toContain(expected.message.slice(0, 40).split('*')[0]);
  });
});

test.each(nonsense)('$id is refused and quoted', async ({ recording }) => {
  const { events, thrown } = await collectUntilThrow(modelFor(recording, 1).stream(request, call()));
  expect(events).toEqual([]);
  expect(thrown).toMatchObject({ code: expect.stringMatching(/^stream\./) as string });
});
