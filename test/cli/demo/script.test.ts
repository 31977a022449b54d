import { describe, expect, test } from 'vitest';
import type { ToolUse } from '../../../src/cli/demo/capabilities.ts';
import { nextStep, type Ask, type Evidence, type Script } from '../../../src/cli/demo/script.ts';
import type { ToolResultStatus } from '../../../src/index.ts';

const use = (file: string): ToolUse => ({ name: 'read', args: { file, limit: 1 } });

function evidence(file: string, text: string, status: ToolResultStatus = 'completed'): Evidence {
  return {
    call: { type: 'toolCall', id: `call_${file}`, name: 'read', args: { limit: 1, file } },
    outcome: { status, text },
  };
}

function* reading(files: readonly string[], extra: Partial<Ask> = {}): Script {
  const outcomes = yield { thinking: 'think', say: 'say', calls: files.map(use), ...extra };
  return outcomes.map(({ status, text }) => `${status} ${text}`).join(', ');
}

describe('nextStep', () => {
  test('asks for the calls that have no result yet', () => {
    expect(nextStep(reading(['a', 'b']), [evidence('a', 'A')])).toEqual({
      type: 'call',
      thinking: 'think',
      say: 'say',
      calls: [use('b')],
    });
  });

  test('answers when all results are there, in the order of the calls, whatever the order of keys', () => {
    expect(nextStep(reading(['a', 'b']), [evidence('b', 'B'), evidence('a', 'A', 'failed')])).toEqual({
      type: 'answer',
      text: 'failed A, completed B',
    });
  });

  test('uses each result for one call only', () => {
    expect(nextStep(reading(['a', 'a']), [evidence('a', 'A')])).toMatchObject({ type: 'call', calls: [use('a')] });
  });

  test.for(['interrupted', 'notStarted'] as const)('makes a call again that was %s', (status) => {
    expect(nextStep(reading(['a']), [evidence('a', '', status)])).toMatchObject({ type: 'call', calls: [use('a')] });
    expect(nextStep(reading(['a']), [evidence('a', '', status), evidence('a', 'A')])).toEqual({
      type: 'answer',
      text: 'completed A',
    });
  });

  test('does not repeat an interrupted call that may have had effects', () => {
    expect(nextStep(reading(['a'], { once: true }), [evidence('a', 'half', 'interrupted')])).toEqual({
      type: 'answer',
      text: 'interrupted half',
    });
    expect(nextStep(reading(['a'], { once: true }), [evidence('a', '', 'notStarted')])).toMatchObject({ type: 'call' });
  });
});
