import { describe, expect, test } from 'vitest';
import { deepestJson } from '../../src/conversation/json-copy.ts';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { Block } from '../../src/conversation/block.ts';
import { verifyEvents } from '../../src/testing/index.ts';
import {
  answer,
  appended,
  applied,
  argsText,
  awaiting,
  backgrounded,
  begin,
  call,
  calling,
  callInput,
  closed,
  completed,
  cut,
  end,
  failedTransformer,
  goodLogs,
  injected,
  logOf,
  lost,
  progress,
  queued,
  ran,
  raw,
  replaced,
  reset,
  resultOf,
  results,
  retrying,
  said,
  settled,
  settledCall,
  started,
  startedCall,
  text,
  usage,
  user,
  type Log,
} from './event-logs.ts';

const done = (id: string, iterations = 1) => completed('completed', iterations, { message: said(id) });
const open = (index: number): OperativeEvent => ({ type: 'text.start', index });
const delta = (index: number): OperativeEvent => ({ type: 'text.delta', index, text: 'a' });
// A log that need not be complete, so that only what is wrong inside it can be refused.
const verifyPart = (log: Log) => verifyEvents(log, { complete: false });
const expectAccepted = (log: Log) => expect(() => verifyPart(log)).not.toThrow();
const expectRefused = (log: Log, expected: string) => expect(() => verifyPart(log)).toThrow(expected);

describe('a good log is accepted', () => {
  test.each(Object.entries(goodLogs))('%s', (_title, log) => {
    expect(() => verifyEvents(log)).not.toThrow();
  });

  test.each(Object.entries(goodLogs))('%s, cut anywhere when it need not be complete', (_title, log) => {
    for (let length = 0; length < log.length; length++) {
      expect(() => verifyEvents(log.slice(0, length), { complete: false })).not.toThrow();
    }
  });
});

describe('the message of a refusal', () => {
  test('names the event, its position, what was expected and what came before', () => {
    expect(() => verifyEvents([started(), begin, begin])).toThrow(
      /event 2, {"type":"message\.start"}: expected one message\.start per attempt.*\nBefore it:\n {2}0 .*turn\.started.*\n {2}1 /,
    );
  });

  test('names the turn that has not ended', () => {
    expect(() => verifyEvents([started('turn_7'), begin])).toThrow('the log ends inside turn "turn_7"');
  });

  test('stays short when the event is long', () => {
    const long: OperativeEvent = { type: 'text.delta', index: 0, text: 'x'.repeat(1e6) };
    let message = '';
    try {
      verifyEvents([started(), long]);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('message.start before anything else');
    expect(message.length).toBeLessThan(1_000);
  });
});

describe('the order of a turn', () => {
  test.each<[string, Log, string]>([
    ['anything before turn.started', [begin], 'turn.started before it'],
    ['a turn inside a turn', [started(), started('turn_2')], 'turn.completed of "turn_1" before the next turn'],
    ['a close inside a turn', [started(), closed], 'before operative.closed'],
    ['anything after the close', [closed, started()], 'nothing after operative.closed'],
    ['anything after the end', [started(), completed('aborted', 0), reset], 'turn.started before it'],
    ['an unknown event', [started(), { type: 'surprise' } as unknown as OperativeEvent], 'a known event type'],
    ['a late reload', [started(), begin, { type: 'turn.reloaded', messages: 1 }], 'right after turn.started'],
    [
      'a reload after an append',
      logOf(started(), appended(user('u')), { type: 'turn.reloaded', messages: 1 }),
      'right after',
    ],
    ['a reset where no model speaks', [started(), reset], 'no stream.reset at the start'],
    ['an answer without a stream', [started(), ...settled(said('a')).slice(1)], 'message.end before assistant.settled'],
    [
      'an answer before message.end',
      logOf(started(), begin, text(0, 'Hello'), settled(said('a')).slice(1)),
      'message.end before',
    ],
    [
      'a stream while tools run',
      logOf(started(), calling('a', 'c1'), startedCall('c1'), begin),
      'no message.start before toolResults',
    ],
    [
      'a stream before tools run',
      logOf(started(), calling('a', 'c1'), begin),
      'no message.start after assistant.settled',
    ],
    [
      'a stream after afterTurn',
      logOf(started(), answer('a'), applied('t', 'afterTurn', 1), begin),
      'after the afterTurn',
    ],
    [
      'results without calls',
      logOf(started(), answer('a'), results('r')),
      'no toolResults.settled after assistant.settled',
    ],
    ['a call without a message', [started(), startedCall('c1')], 'no toolCall.started at the start'],
  ])('refuses %s', (_title, log, expected) => {
    expectRefused(log, expected);
  });
});

describe('the stream of a message', () => {
  test.each<[string, Log, string]>([
    ['a block before message.start', [open(0)], 'message.start before anything else'],
    ['a second start', [begin, begin], 'one message.start'],
    ['a delta without its start', [begin, delta(0)], 'text.start with index 0 before it'],
    ['a delta after its end', [begin, ...text(0, 'a'), delta(0)], 'nothing more of block 0'],
    ['an end without its start', [begin, { type: 'text.end', index: 0 }], 'text.start with index 0'],
    ['a second end', [begin, ...text(0), { type: 'text.end', index: 0 }], 'nothing more of block 0'],
    ['two open blocks at one index', [begin, open(0), open(0)], 'a text block is open at 0'],
    ['an index used again', [begin, ...text(0), open(0)], 'a text block has ended at 0'],
    [
      'a whole block at an index in use',
      [begin, open(0), { type: 'block', index: 0, block: { type: 'text', text: 'a' } }],
      'a text block is open at 0',
    ],
    [
      'a delta of another kind',
      [begin, open(0), { type: 'thinking.delta', index: 0, text: 'a' }],
      'an event of the text',
    ],
    ['an end of another kind', [begin, open(0), { type: 'toolInput.end', index: 0 }], 'an event of the text'],
    ['an index that is no position', [begin, open(-1)], 'an index that is a whole number'],
    ['a message that ends with an open block', [begin, open(0), end()], 'the open text block 0 to end'],
    ['more after message.end', [begin, end(), open(0)], 'assistant.settled after message.end'],
    ['usage after message.end', [begin, end(), usage], 'assistant.settled after message.end'],
  ])('refuses %s', (_title, log, expected) => {
    expectRefused([started(), ...log], expected);
  });

  test('raw events may come anywhere in it', () => {
    expectAccepted([started(), raw, begin, raw, end(), raw]);
  });
});

describe('the settled message', () => {
  const streamed: Log = [started(), begin, ...text(0, 'Hel', 'lo'), ...callInput(1, 'c1', ...argsText), end('toolUse')];
  const hello = { type: 'text', text: 'Hello' } as const;
  const good = [hello, call('c1')];
  const settle = (...blocks: readonly Block[]) => settled(said('a', blocks), 'toolUse');

  test('is what the stream folds to', () => {
    expectAccepted(logOf(streamed, settle(...good)));
  });

  test.each<[string, Log, string]>([
    ['other text', settle({ type: 'text', text: 'Hallo' }, call('c1')), 'block 0 to be'],
    ['a missing block', settle(call('c1')), '2 blocks, as streamed, and not 1'],
    ['an additional block', settle(...good, call('c2')), '2 blocks, as streamed, and not 3'],
    ['another order', settle(call('c1'), { type: 'text', text: 'Hello' }), 'block 0 to be'],
    ['other arguments', settle(hello, { ...call('c1'), args: { at: 2 } }), 'block 1 to be'],
    ['another tool', settle(hello, { ...call('c1'), name: 'run' }), 'block 1 to be'],
    ['another call id', settle(hello, call('c9')), 'block 1 to be'],
    ['another role', settled({ ...said('a', good), role: 'user' }, 'toolUse').slice(1), 'role assistant'],
    ['another stop reason', settled(said('a', good), 'endTurn'), 'stopReason "toolUse"'],
  ])('is refused with %s', (_title, tail, expected) => {
    expectRefused(logOf(streamed, tail), expected);
  });

  test('keeps arguments that are not JSON as text', () => {
    const log = (block: Block) =>
      logOf(started(), begin, callInput(0, 'c1', '{"at"'), end('toolUse'), settled(said('a', [block]), 'toolUse'));
    expectAccepted(log({ type: 'toolCall', id: 'c1', name: 'look', rawArgs: '{"at"' }));
    expectRefused(log({ type: 'toolCall', id: 'c1', name: 'look', args: {} }), 'block 0 to be');
  });

  test('may rename call ids only where they are repeated or empty', () => {
    const log = (first: string, second: string, ...ids: string[]) =>
      logOf(
        started(),
        begin,
        callInput(0, first, ...argsText),
        callInput(1, second, ...argsText),
        end('toolUse'),
        settled(said('a', ids.map(call)), 'toolUse'),
      );
    expectAccepted(log('c1', 'c1', 'c1', 'c1_2'));
    expectAccepted(log('c1', '', 'c1', 'new'));
    expectRefused(log('c1', 'c2', 'c1', 'new'), 'block 1 to be');
    expectRefused(log('c1', 'c1', 'c1', 'c1'), '"c1" comes twice');
  });

  test('compares arguments as deep as a transcript may hold', () => {
    const json = `${'['.repeat(deepestJson)}${']'.repeat(deepestJson)}`;
    const block = { ...call('c1'), args: JSON.parse(json) };
    expectAccepted(
      logOf(started(), begin, callInput(0, 'c1', json), end('toolUse'), settled(said('a', [block]), 'toolUse')),
    );
  });
});

describe('attempts', () => {
  test.each<[string, Log, string]>([
    [
      'a retry without reset',
      [begin, retrying(1), begin],
      'stream.reset, because readers have seen the failed attempt',
    ],
    ['a reset with nothing shown', [raw, usage, reset], 'something shown'],
    ['a reset after a silent attempt', [raw, retrying(1), reset], 'something shown'],
    ['a second reset', [begin, retrying(1), reset, reset], 'something shown'],
    ['a retry after a whole answer', [begin, end(), retrying(1)], 'assistant.settled after message.end with "endTurn"'],
    ['a reset after a whole answer', [begin, end(), reset], 'assistant.settled after message.end with "endTurn"'],
    ['a skipped retry', [retrying(1), retrying(3)], 'attempt 2, or 0'],
    ['a negative delay', [retrying(1, -1)], 'a delay of 0 or more'],
    [
      'a new shape before the reset',
      [begin, applied('t', 'beforeIteration', 1)],
      'stream.reset before the context is shaped',
    ],
    [
      'giving up without a reset',
      [begin, completed('failed', 1, { error: lost })],
      'stream.reset before the turn ends',
    ],
    ['afterTurn without a reset', [begin, applied('t', 'afterTurn', 1)], 'stream.reset before the turn ends'],
    [
      'an abort that owes a reset',
      [begin, retrying(1), completed('aborted', 1)],
      'stream.reset, because readers have seen the failed',
    ],
  ])('refuses %s', (_title, log, expected) => {
    expectRefused([started(), ...log], expected);
  });
});

describe('tool calls', () => {
  test.each<[string, Log, string]>([
    ['a foreign call', [startedCall('c9')], 'a call of the settled message ("c1", "c2")'],
    ['a foreign progress', [progress('c9')], 'a call of the settled message'],
    ['a second start', [startedCall('c1'), startedCall('c1')], 'it is started'],
    ['approval after the start', [startedCall('c1'), awaiting('c1')], 'it is started'],
    ['progress before the start', [progress('c1')], 'it is open'],
    ['progress after the end', [...ran('c1'), progress('c1')], 'it is settled'],
    ['progress in the background', [startedCall('c1'), backgrounded('c1'), progress('c1')], 'it is backgrounded'],
    ['the background before the start', [backgrounded('c1')], 'it is open'],
    ['a second end', [...ran('c1'), settledCall('c1')], 'it is settled'],
    [
      'a call under another name',
      [{ type: 'toolCall.started', call: { ...call('c1'), name: 'run' } }],
      'a call of "look"',
    ],
    [
      "another call's result",
      [startedCall('c1'), { type: 'toolCall.settled', call: call('c1'), result: resultOf('c2'), durationMs: 0 }],
      'a result for the call "c1"',
    ],
    ...(['denied', 'notStarted', 'unknownTool', 'invalidArguments', 'truncated'] as const).map(
      (status): [string, Log, string] => [
        `${status} after a start`,
        [startedCall('c1'), settledCall('c1', status)],
        `no toolCall.started for a call that ends as ${status}`,
      ],
    ),
    ...(['completed', 'timedOut', 'interrupted'] as const).map((status): [string, Log, string] => [
      `${status} without a start`,
      [settledCall('c1', status)],
      `toolCall.started for a call that ends as ${status}`,
    ]),
    ['results before every call has ended', [...ran('c1'), ...results('r', 'c1', 'c2')], 'toolCall.settled of "c2"'],
    ['a missing result', [...ran('c1'), ...ran('c2'), ...results('r', 'c1')], 'one result per call'],
    ['a doubled result', [...ran('c1'), ...ran('c2'), ...results('r', 'c1', 'c2', 'c2')], 'one result per call'],
    ['results in another order', [...ran('c2'), ...ran('c1'), ...results('r', 'c2', 'c1')], 'one result per call'],
    [
      'a result of another status',
      [...ran('c1'), ...ran('c2'), ...results('r', 'c1', ['c2', 'failed'])],
      'one result per call',
    ],
    [
      'results in a message of the user',
      [
        ...ran('c1'),
        ...ran('c2'),
        { type: 'toolResults.settled', message: { id: 'r', role: 'user', content: [resultOf('c1'), resultOf('c2')] } },
      ],
      'role tool',
    ],
    [
      'an end with open calls',
      [...ran('c1'), completed('aborted', 1, { message: said('a') })],
      'toolCall.settled of every call',
    ],
    ['an end before the calls', [completed('aborted', 1, { message: said('a') })], 'toolCall.settled of every call'],
    [
      'an end without results',
      [...ran('c1'), ...ran('c2'), completed('aborted', 1)],
      'toolResults.settled before the turn ends',
    ],
    [
      'a review after a start',
      [startedCall('c1'), applied('t', 'afterIteration', 1)],
      'no transformer of stage afterIteration',
    ],
  ])('refuses %s', (_title, log, expected) => {
    expectRefused(logOf(started(), calling('a', 'c1', 'c2'), log), expected);
  });
});

describe('transformers and rewrites', () => {
  test.each<[string, Log, string]>([
    [
      'beforeTurn in an iteration',
      [applied('t', 'beforeIteration', 1), applied('t', 'beforeTurn', 0)],
      'no transformer of stage beforeTurn',
    ],
    ['beforeTurn with an iteration', [applied('t', 'beforeTurn', 1)], 'iteration 0'],
    ['beforeIteration with another iteration', [applied('t', 'beforeIteration', 2)], 'iteration 1'],
    ['afterIteration before an answer', [applied('t', 'afterIteration', 1)], 'no transformer of stage afterIteration'],
    ['afterIteration with another iteration', [...answer('a'), applied('t', 'afterIteration', 2)], 'iteration 1'],
    ['afterTurn with another iteration', [...answer('a'), applied('t', 'afterTurn', 3)], 'iteration 1'],
    [
      'afterTurn with open calls',
      [...calling('a', 'c1'), applied('t', 'afterTurn', 1)],
      'no transformer of stage afterTurn',
    ],
    ['a failed one out of place', [failedTransformer('t', 'afterIteration')], 'no transformer of stage afterIteration'],
    ['an unknown stage', [failedTransformer('t', 'duringTurn' as never)], 'a known stage'],
    ['one while the model speaks', [begin, applied('t', 'afterIteration', 1)], 'while the model answers'],
    ['a rewrite nobody made', [...answer('a'), replaced('t', 1), done('a')], 'transformer.applied of "t"'],
    ["another transformer's rewrite", [...answer('a'), replaced('t', 1), applied('other', 'afterTurn', 1)], 'of "t"'],
    [
      'a rewrite by a view',
      [...answer('a'), replaced('t', 1), applied('t', 'beforeIteration', 2)],
      'the rewrite announced',
    ],
    [
      'two rewrites by one transformer',
      [...answer('a'), applied('t', 'afterTurn', 1), replaced('t', 1), replaced('t', 1), done('a')],
      'transformer.applied of "t"',
    ],
    [
      'a repair without a failure',
      [...answer('a'), replaced('repair', 1), done('a')],
      'transformer.applied of "repair"',
    ],
    [
      'a repair with calls left open',
      [...calling('a', 'c1'), replaced('repair', 1), failedTransformer('t', 'afterIteration'), done('a')],
      'toolCall.settled of every call',
    ],
    [
      'a rewrite before a failure',
      [...answer('a'), replaced('t', 1), failedTransformer('t', 'afterTurn'), done('a')],
      'transformer.applied of "t"',
    ],
    [
      'a rewrite while the model speaks',
      [applied('t', 'beforeTurn', 0), begin, replaced('t', 1), end()],
      'transformer.applied of "t"',
    ],
  ])('refuses %s', (_title, log, expected) => {
    expectRefused(logOf(started(), appended(user('u')), log), expected);
  });
});

describe('appends and announcements', () => {
  const at = (index: number, id: string): OperativeEvent => ({ type: 'message.appended', message: user(id), index });

  test.each<[string, Log, string]>([
    ['an index left out', [at(3, 'u1'), at(5, 'u2')], 'index 4'],
    ['an index used again', [at(3, 'u1'), at(3, 'u2')], 'index 4'],
    ['an index that is none', [at(-1, 'u1')], 'a whole number'],
    ['an index that ignores a rewrite', [at(3, 'u1'), replaced('compact', 2), at(4, 'u2')], 'index 2'],
    ['an index that ignores a reload', [started(), { type: 'turn.reloaded', messages: 2 }, at(0, 'u1')], 'index 2'],
    ['a message appended twice', [at(0, 'u1'), at(1, 'u1')], 'to be appended only once'],
    [
      'an append of what was withdrawn',
      [{ type: 'message.withdrawn', messageId: 'u1' }, at(0, 'u1')],
      'it was withdrawn',
    ],
    [
      'a queued message that was withdrawn',
      [{ type: 'message.withdrawn', messageId: 'u1' }, queued(user('u1'))],
      'withdrawn',
    ],
    [
      'a withdrawal of what was appended',
      [at(0, 'u1'), { type: 'message.withdrawn', messageId: 'u1' }],
      'not yet appended',
    ],
    [
      'a second withdrawal',
      [
        { type: 'message.withdrawn', messageId: 'u1' },
        { type: 'message.withdrawn', messageId: 'u1' },
      ],
      'withdrawn once',
    ],
    ['a message queued twice in a turn', [started(), queued(user('u1')), queued(user('u1'))], 'as queued only once'],
    [
      'an injection that is not appended',
      logOf(started(), injected(user('u'), 1), begin),
      'message.appended of "u", announced by message.injected',
    ],
    ['an injection of another iteration', logOf(started(), answer('a'), injected(user('u'), 3)), 'iteration 2'],
    [
      'an injection while the model speaks',
      logOf(started(), begin, injected(user('u'), 1)),
      'only where an iteration begins',
    ],
    [
      'an injection after the shaping',
      logOf(started(), applied('t', 'beforeIteration', 1), injected(user('u'), 1)),
      'only where an iteration begins',
    ],
    [
      'an injection with open calls',
      logOf(started(), calling('a', 'c1'), injected(user('u'), 2)),
      'only where an iteration',
    ],
    ['a second injection', logOf(started(), injected(user('u'), 1), injected(user('u'), 1)), 'injected only once'],
    [
      'a steer that is not announced',
      logOf(started(), answer('a'), appended(user('u')), answer('b')),
      'message.injected of "u"',
    ],
    [
      'a late message that is not announced',
      logOf(started(), answer('a'), appended(user('u')), done('a')),
      'message.queued of the late message "u"',
    ],
    [
      'an answer that is not appended',
      logOf(started(), answer('a').slice(0, -2), answer('a').slice(-1), done('a')),
      'announced by assistant.settled',
    ],
    [
      'results that are not appended',
      logOf(started(), calling('a', 'c1'), ran('c1'), results('r', 'c1').slice(1), begin),
      'announced by toolResults.settled',
    ],
    [
      'more of the stream after the cut message',
      logOf(started(), begin, open(0), appended(cut('a')), delta(0)),
      'once the turn is being aborted',
    ],
    [
      'an answer after the cut message',
      logOf(started(), begin, end(), appended(cut('a')), settled(said('b', [])).slice(1)),
      'message.end before',
    ],
    [
      'a late message inside an answer',
      logOf(started(), begin, appended(user('u')), end()),
      'once the turn is being aborted',
    ],
  ])('refuses %s', (_title, log, expected) => {
    expectRefused(log, expected);
  });
});

describe('the end of a turn', () => {
  test.each<[string, Log, string]>([
    [
      'another turnId',
      [...answer('a'), completed('completed', 1, { turnId: 'turn_2', message: said('a') })],
      'turnId "turn_1"',
    ],
    ['too many iterations', [...answer('a'), done('a', 2)], 'iterations 1'],
    ['too few iterations', [...answer('a'), done('a', 0)], 'iterations 1'],
    ['a failure with too many iterations', [completed('failed', 2, { error: lost })], 'iterations 0 or 1'],
    ['a hidden iteration inside an attempt', [begin, completed('aborted', 2)], 'iterations 1'],
    ['another last message', [...answer('a'), done('b')], 'message "a"'],
    ['no last message', [...answer('a'), completed('completed', 1)], 'message "a"'],
    ['a message where none settled', [completed('aborted', 0, { message: said('a') })], 'message undefined'],
    ['a failure without an error', [completed('failed', 0)], 'an error where'],
    [
      'a success with an error',
      [...answer('a'), completed('completed', 1, { message: said('a'), error: lost })],
      'no error where',
    ],
    ['completed without an answer', [completed('completed', 0)], 'assistant.settled before a turn ends as completed'],
    ['maxIterations without an answer', [retrying(1), completed('maxIterations', 1)], 'assistant.settled before'],
    [
      'completed right after results',
      [...calling('a', 'c1'), ...ran('c1'), ...results('r', 'c1'), done('a')],
      'another iteration',
    ],
    [
      'a success with an unsettled answer',
      [begin, end(), completed('refused', 1)],
      'assistant.settled after message.end',
    ],
    [
      'a success with a cut answer',
      [begin, open(0), appended(cut('a')), completed('failed', 1, { error: lost })],
      'reason aborted',
    ],
  ])('refuses %s', (_title, log, expected) => {
    expectRefused(logOf(started(), log), expected);
  });
});
