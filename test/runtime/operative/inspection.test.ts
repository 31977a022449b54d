import { describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/runtime/engine.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { answerAll, startOperative, toolOf, type OperativeSetup } from './operative-bench.ts';

interface Inspected {
  readonly type: string;
  readonly actorRef: { readonly id: string };
  readonly snapshot?: { readonly value?: unknown };
}

async function watched(setup: OperativeSetup = {}) {
  const seen: Inspected[] = [];
  const bench = startOperative({
    tools: [toolOf('look')],
    script: [{ text: 'a secret', calls: [{ name: 'look' }] }, { text: 'done' }],
    own: { inspect: (event) => seen.push(event as Inspected) },
    ...setup,
  });
  void bench.submit('A');
  await bench.rest();
  return { bench, seen, ids: [...new Set(seen.map(({ actorRef }) => actorRef.id))] };
}

describe('an inspector of an operative', () => {
  test('sees the operative, its turn, the services and each tool call', async () => {
    const { ids } = await watched();
    expect(ids).toEqual(['operative', 'turn', 'streamModel', 'dispatchTools', 'toolCall:0']);
  });

  test('sees the reload', async () => {
    const seen: string[] = [];
    const bench = startOperative({
      own: {
        reloadBeforeStart: () => ({ system: [], messages: [] }),
        inspect: (event) => seen.push((event as Inspected).actorRef.id),
      },
    });
    void bench.submit('A');
    await bench.rest();
    expect(seen).toContain('reload');
  });

  test('sees every state the operative and its turn are in', async () => {
    const { seen } = await watched();
    const values = seen.flatMap(({ type, actorRef, snapshot }) =>
      type === '@xstate.snapshot' && ['operative', 'turn'].includes(actorRef.id)
        ? [JSON.stringify(snapshot?.value)]
        : [],
    );
    expect(new Set(values)).toEqual(
      new Set([
        '"idle"',
        '{"active":"running"}',
        '{"active":"settling"}',
        '"streaming"',
        '{"dispatching":"live"}',
        '"completed"',
      ]),
    );
  });

  test('never gets the transcript', async () => {
    const { seen } = await watched();
    const contexts = seen.map(
      ({ snapshot }) => JSON.stringify((snapshot as { context?: unknown } | undefined)?.context) ?? '',
    );
    expect(contexts.filter((context) => context.includes('secret'))).toEqual([]);
    expect(contexts.filter((context) => context !== '')).not.toEqual([]);
  });

  test('of the engine is used where the operative has none', async () => {
    const seen: string[] = [];
    await watched({ inspect: (event) => seen.push((event as Inspected).actorRef.id), own: {} });
    expect(seen).toContain('operative');
  });

  test('of the operative wins over the engine’s', async () => {
    const seen: unknown[] = [];
    const { ids } = await watched({ inspect: (event) => seen.push(event) });
    expect([seen, ids.length > 0]).toEqual([[], true]);
  });

  test('that throws harms nobody and is reported', async () => {
    const errors: unknown[] = [];
    const { bench } = await watched({
      onListenerError: (error) => errors.push(error),
      own: {
        inspect: () => {
          throw new Error('bad inspector');
        },
      },
    });
    expect(bench.fates()).toEqual(['startedTurn answered']);
    expect(errors).toContainEqual(new Error('bad inspector'));
  });

  test('of an operative whose engine is a function sees its turns too', async () => {
    const engine = createEngine({ transformers: [], model: scriptedModel(answerAll) });
    const seen: string[] = [];
    const bench = startOperative({
      own: { engine: () => engine, inspect: (event) => seen.push((event as Inspected).actorRef.id) },
    });
    void bench.submit('A');
    await bench.rest();
    expect(seen).toContain('streamModel');
  });
});
