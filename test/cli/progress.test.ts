import { describe, expect, test } from 'vitest';
import { noProgress, progressAfter, statusLine } from '../../src/cli/progress.ts';
import { ModelError, type EngineEvent, type ToolCallBlock } from '../../src/index.ts';

const call = (id: string): ToolCallBlock => ({ type: 'toolCall', id, name: `tool_${id}`, args: {} });
const usage = (inputTokens: number, outputTokens: number): EngineEvent => ({
  type: 'usage',
  usage: { inputTokens, outputTokens },
});
const statusAfter = (...events: readonly EngineEvent[]) => statusLine(events.reduce(progressAfter, noProgress), 2_345);

describe('statusLine', () => {
  test('shows elapsed time, tokens and what is going on', () => {
    expect(statusAfter()).toBe('⠸ 2.3 s · 0 in, 0 out tokens · starting');
    expect(statusAfter({ type: 'turn.started', turnId: 't' })).toMatch(/waiting for the model$/);
    expect(statusAfter({ type: 'thinking.start', index: 0 })).toMatch(/thinking$/);
    expect(statusAfter({ type: 'text.start', index: 0 })).toMatch(/answering$/);
    expect(statusAfter({ type: 'toolInput.start', index: 0, id: 'a', name: 'Bash' })).toMatch(/preparing Bash$/);
    expect(statusAfter({ type: 'toolCall.awaitingApproval', call: call('a') })).toMatch(
      /waiting for approval of tool_a$/,
    );
    const error = new ModelError('model.overloaded', 'busy', { retryable: true });
    expect(statusAfter({ type: 'stream.retrying', attempt: 1, delayMs: 500, error })).toMatch(/retrying in 0\.5 s$/);
  });

  test('takes the last usage of a message and adds up messages', () => {
    expect(
      statusAfter({ type: 'message.start' }, usage(1000, 0), usage(1000, 20), { type: 'message.start' }, usage(200, 3)),
    ).toContain('1,200 in, 23 out tokens');
  });

  test('names the tools that run, without those that have settled', () => {
    const started = (['a', 'b', 'c'] as const).map((id): EngineEvent => ({ type: 'toolCall.started', call: call(id) }));
    const settled: EngineEvent = {
      type: 'toolCall.settled',
      call: call('b'),
      result: { type: 'toolResult', callId: 'b', status: 'completed', content: [] },
      durationMs: 1,
    };
    expect(statusAfter(...started, settled)).toMatch(/running tool_a, tool_c$/);
    expect(
      statusAfter(...started, { type: 'toolResults.settled', message: { id: 'm', role: 'tool', content: [] } }),
    ).toMatch(/waiting for the model$/);
  });
});
