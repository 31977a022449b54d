import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demoModel, demoModelId } from '../../src/cli/demo-model.ts';
import {
  assistantMessage,
  complete,
  isModelError,
  userMessage,
  type ModelRequest,
  type StreamEvent,
} from '../../src/index.ts';
import { codingTools } from './demo/known-tools.ts';

const asking = (words: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: [],
  messages: [userMessage(words, { id: 'message-1' })],
  tools: codingTools,
  ...more,
});

const never = new AbortController().signal;

async function eventsOf(
  request: ModelRequest,
  options: Parameters<typeof demoModel>[0] = {},
): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of demoModel({ paceMs: 0, ...options }).stream(request, { signal: never })) events.push(event);
  return events;
}

describe('demoModel', () => {
  test('says in its name what it is', () => {
    expect(demoModel().id).toBe('demo model (scripted, no AI)');
  });

  test('streams thinking, text and a call in pieces, then usage and the reason it stopped', async () => {
    const events = await eventsOf(asking('read package.json'));
    const tags = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(tags).toEqual([
      'message.start',
      'usage',
      'thinking.start',
      'thinking.delta',
      'thinking.end',
      'text.start',
      'text.delta',
      'text.end',
      'toolInput.start',
      'toolInput.delta',
      'toolInput.end',
      'usage',
      'message.end',
    ]);
    expect(events[0]).toMatchObject({ type: 'message.start', model: demoModelId });
    expect(events.at(-1)).toEqual({ type: 'message.end', stopReason: 'toolUse' });
    expect(events.filter(({ type }) => type === 'toolInput.delta').length).toBeGreaterThan(1);
  });

  test('ends a plain answer with endTurn', async () => {
    expect((await eventsOf(asking('hello'))).at(-1)).toEqual({ type: 'message.end', stopReason: 'endTurn' });
  });

  test('reports more input for a longer request and more output for a longer answer', async () => {
    const usage = async (words: string) => (await complete(demoModel({ paceMs: 0 }), asking(words))).usage;
    const short = await usage('thanks');
    const long = await usage('hello');
    expect(short?.inputTokens).toBeGreaterThan(0);
    expect(long?.outputTokens).toBeGreaterThan(short?.outputTokens ?? Infinity);
  });

  test('answers the same request with the same events for a seed, and phrases it otherwise for others', async () => {
    expect(await eventsOf(asking('hello'), { seed: 3 })).toEqual(await eventsOf(asking('hello'), { seed: 3 }));
    const phrasings = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map(async (seed) => JSON.stringify(await eventsOf(asking('hello'), { seed }))),
    );
    expect(new Set(phrasings).size).toBeGreaterThan(1);
  });

  test('waits before each word, between half and one and a half times its pace', async () => {
    const waits: number[] = [];
    const wait = (ms: number) => Promise.resolve(void waits.push(ms));
    const events = await eventsOf(asking('read package.json'), { paceMs: 20, wait });
    expect(waits).toHaveLength(events.filter(({ type }) => type.endsWith('.delta')).length);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...waits)).toBeLessThan(30);
  });

  test('ends with the reason of the signal when it is aborted while waiting', async () => {
    const abort = new AbortController();
    const seen: string[] = [];
    const stream = async () => {
      for await (const event of demoModel({ paceMs: 60_000 }).stream(asking('hello'), { signal: abort.signal })) {
        seen.push(event.type);
        if (event.type === 'text.start') queueMicrotask(() => abort.abort('enough'));
      }
    };
    await expect(stream()).rejects.toBe('enough');
    expect(seen.at(-1)).toBe('text.start');
  });

  test('says nothing under a signal that is aborted already', async () => {
    const iterator = demoModel({ paceMs: 0 })
      .stream(asking('hello'), { signal: AbortSignal.abort('no') })
      [Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toBe('no');
  });

  test('is cut by the token limit, with every block ended', async () => {
    const { message, stopReason } = await complete(demoModel({ paceMs: 0 }), asking('hello', { maxOutputTokens: 5 }));
    expect(stopReason).toBe('maxTokens');
    expect(message.content).toHaveLength(1);
    const { message: call } = await complete(
      demoModel({ paceMs: 0 }),
      asking('read package.json', { maxOutputTokens: 31 }),
    );
    expect(call.content.at(-1)).toMatchObject({ type: 'toolCall', name: 'Read' });
    expect(call.content.at(-1)).not.toHaveProperty('args');
  });

  test('makes no call under toolChoice none, and one under required or a named tool', async () => {
    const callsUnder = async (words: string, toolChoice: NonNullable<ModelRequest['toolChoice']>) => {
      const { message } = await complete(demoModel({ paceMs: 0 }), asking(words, { toolChoice }));
      return message.content.filter((block) => block.type === 'toolCall').map(({ name }) => name);
    };
    expect(await callsUnder('read package.json', 'none')).toEqual([]);
    expect(await callsUnder('hello', 'required')).toEqual(['Glob']);
    expect(await callsUnder('hello', { tool: 'Read' })).toEqual(['Read']);
  });

  test('refuses structured output in words, and not for a retry', async () => {
    const refused = await eventsOf(asking('hello', { output: { name: 'x', schema: {} } })).catch(
      (error: unknown) => error,
    );
    expect(isModelError(refused) && [refused.code, refused.retryable, refused.message]).toEqual([
      'model.rejected',
      false,
      'The demo model (scripted, no AI) cannot follow a schema. Leave out "output", or use a real model.',
    ]);
  });

  test('gives calls ids that no other message of the conversation has', async () => {
    const idsAfter = async (id: string) => {
      const messages = [assistantMessage('before', { id: 'a' }), userMessage('read a.ts; read b.ts', { id })];
      const { message } = await complete(demoModel({ paceMs: 0 }), asking('', { messages }));
      return message.content.filter((block) => block.type === 'toolCall').map((call) => call.id);
    };
    expect(await idsAfter('m1')).not.toEqual(await idsAfter('m2'));
  });

  test('never throws, ends once, and makes calls of well-formed JSON for any words', async () => {
    const openings = fc.constantFrom(
      '',
      'read ',
      'search for ',
      'run ',
      'how many ',
      'list ',
      'instead ',
      'make a todo: ',
    );
    const words = fc.tuple(openings, fc.string({ unit: 'binary' })).map(([opening, rest]) => opening + rest);
    await fc.assert(
      fc.asyncProperty(words, fc.nat(), async (said, seed) => {
        const events = await eventsOf(asking(said), { seed });
        const ends = events.filter(({ type }) => type === 'message.end');
        expect(ends).toEqual([events.at(-1)]);
        const { message } = await complete(demoModel({ paceMs: 0, seed }), asking(said));
        for (const block of message.content) if (block.type === 'toolCall') expect(block).toHaveProperty('args');
      }),
      { numRuns: 100 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
    );
  });
});
