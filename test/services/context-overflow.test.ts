import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { Transformer, TransformerContext } from '../../src/contracts/transformer.ts';
import { interpreters, playTurn, toolOf } from '../runtime/turn-bench.ts';

const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });

/** Keeps the last message when the provider said that the context is too long, and notes every time it is asked. */
function shortening(): { readonly transformer: Transformer; readonly seen: boolean[] } {
  const seen: boolean[] = [];
  const beforeIteration: Transformer['beforeIteration'] = ({ messages }, { overflow }: TransformerContext) => {
    seen.push(overflow);
    return overflow ? { messages: messages.slice(-1) } : undefined;
  };
  return { transformer: { name: 'shorten', beforeIteration }, seen };
}

describe.each(interpreters)('a context that is too long (%s)', (interpreter) => {
  test('ends the turn as contextOverflow where nothing can shape it again', async () => {
    const turn = await playTurn({ interpreter, script: [{ throw: tooLong }] });
    expect(turn.result).toMatchObject({
      reason: 'contextOverflow',
      iterations: 1,
      error: { code: 'model.contextOverflow' },
    });
    expect(turn.has('stream.retrying')).toBe(false);
  });

  test('is shaped once more with overflow set, and asked again', async () => {
    const { transformer, seen } = shortening();
    const turn = await playTurn({
      interpreter,
      transformers: [transformer],
      script: [{ throw: tooLong }, { text: 'ok' }],
    });
    expect(seen).toEqual([false, true]);
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 1 });
    expect(turn.result.error).toBeUndefined();
  });

  test('ends the turn when it is too long again', async () => {
    const { transformer, seen } = shortening();
    const turn = await playTurn({
      interpreter,
      transformers: [transformer],
      script: [{ throw: tooLong }, { throw: tooLong }],
    });
    expect(seen).toEqual([false, true]);
    expect(turn.result).toMatchObject({ reason: 'contextOverflow', error: { code: 'model.contextOverflow' } });
  });

  test('is shaped once more in every iteration', async () => {
    const { transformer, seen } = shortening();
    const script = [{ throw: tooLong }, { calls: [{ name: 'look' }] }, { throw: tooLong }, { text: 'ok' }];
    const turn = await playTurn({ interpreter, transformers: [transformer], tools: [toolOf('look')], script });
    expect(seen).toEqual([false, true, false, true]);
    expect(turn.result.reason).toBe('completed');
  });

  test('what was shown before it was too long is discarded', async () => {
    const { transformer } = shortening();
    const script = [{ text: 'Hel', throw: tooLong, throwAfter: 3 }, { text: 'ok' }];
    const turn = await playTurn({ interpreter, transformers: [transformer], script });
    expect(turn.all('stream.reset')).toHaveLength(1);
    expect(turn.lines()).toEqual(['user: go', 'assistant: ok']);
  });

  test('the error of an overflow that was shaped away is not the error of a later end', async () => {
    const { transformer } = shortening();
    const script = [{ throw: tooLong }, { text: 'half', stopReason: 'maxTokens' as const }];
    const turn = await playTurn({ interpreter, transformers: [transformer], script });
    expect(turn.result.reason).toBe('maxTokens');
    expect(turn.result.error).toBeUndefined();
  });

  test('the re-shape is not a retry: retries continue counting', async () => {
    const { transformer } = shortening();
    const turn = await playTurn(
      {
        interpreter,
        transformers: [transformer],
        retry: { attempts: 1 },
        script: [{ cutAfter: 0 }, { throw: tooLong }, { cutAfter: 0 }],
      },
      60_000,
    );
    expect(turn.all('stream.retrying')).toHaveLength(1);
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'stream.incomplete' } });
  });
});

describe.each(interpreters)('an answer that fills the window (%s)', (interpreter) => {
  const full = { text: 'half an', calls: [{ name: 'look' }], stopReason: 'contextOverflow' as const };

  test('is discarded the first time and asked for again with a shorter context', async () => {
    const { transformer, seen } = shortening();
    const turn = await playTurn({ interpreter, transformers: [transformer], script: [full, { text: 'ok' }] });
    expect(seen).toEqual([false, true]);
    expect(turn.all('stream.reset')).toHaveLength(1);
    expect(turn.lines()).toEqual(['user: go', 'assistant: ok']);
  });

  test('keeps its text and loses its calls the second time', async () => {
    const { transformer } = shortening();
    const turn = await playTurn({
      interpreter,
      transformers: [transformer],
      tools: [toolOf('look')],
      script: [full, full],
    });
    expect(turn.result).toMatchObject({ reason: 'contextOverflow', message: { meta: { cut: 'contextOverflow' } } });
    expect(turn.lines()).toEqual(['user: go', 'assistant: half an']);
  });

  test('keeps its text where nothing can shape the context', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'half an', stopReason: 'contextOverflow' }] });
    expect(turn.result).toMatchObject({ reason: 'contextOverflow', error: { code: 'model.contextOverflow' } });
    expect(turn.lines()).toEqual(['user: go', 'assistant: half an']);
  });

  test('leaves nothing where it held only calls', async () => {
    const calls = [{ name: 'look' }];
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('look')],
      script: [{ calls, stopReason: 'contextOverflow' }],
    });
    expect(turn.result.reason).toBe('contextOverflow');
    expect(turn.lines()).toEqual(['user: go']);
    expect(turn.all('stream.reset')).toHaveLength(1);
  });

  test('counts its tokens each time', async () => {
    const { transformer } = shortening();
    const usage = { inputTokens: 10, outputTokens: 1 };
    const turn = await playTurn({
      interpreter,
      transformers: [transformer],
      script: [
        { ...full, usage },
        { text: 'ok', usage },
      ],
    });
    expect(turn.result.usage).toEqual({ inputTokens: 20, outputTokens: 2 });
  });
});
