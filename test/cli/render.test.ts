import { describe, expect, test } from 'vitest';
import { callText, createRender, resultText } from '../../src/cli/render.ts';
import {
  ModelError,
  TurnchartError,
  userMessage,
  type EngineEvent,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../../src/index.ts';

const call: ToolCallBlock = { type: 'toolCall', id: 'c', name: 'read_file', args: { file_path: 'a.ts' } };
const result = (text: string, status: ToolResultBlock['status'] = 'completed'): ToolResultBlock => ({
  type: 'toolResult',
  callId: 'c',
  status,
  content: [{ type: 'text', text }],
});

function rendered(events: readonly EngineEvent[], { color = false, columns = Number.POSITIVE_INFINITY } = {}): string {
  const render = createRender({ color, columns: () => columns });
  return events.map((event) => render(event, 1_234)).join('');
}

const text = (...deltas: readonly string[]): readonly EngineEvent[] => [
  { type: 'text.start', index: 0 },
  ...deltas.map((delta): EngineEvent => ({ type: 'text.delta', index: 0, text: delta })),
  { type: 'text.end', index: 0 },
];

describe('createRender', () => {
  test('prints text as it comes and ends its line once', () => {
    expect(rendered(text('Hello ', 'there.'))).toBe('Hello there.\n');
    expect(rendered(text('Hello there.\n'))).toBe('Hello there.\n');
    expect(rendered(text())).toBe('');
  });

  test('puts a character together that came in two pieces', () => {
    expect(rendered(text('a\uD83C', '\uDF0Db'))).toBe('a🌍b\n');
  });

  test('marks thinking with a dot, dimmed line by line where colours are on', () => {
    const thinking: readonly EngineEvent[] = [
      { type: 'thinking.start', index: 0 },
      { type: 'thinking.delta', index: 0, text: 'so\nthen' },
      { type: 'thinking.end', index: 0 },
    ];
    expect(rendered(thinking)).toBe('· so\nthen\n');
    expect(rendered(thinking, { color: true })).toBe(
      '\u001B[2m· \u001B[22m\u001B[2mso\u001B[22m\n\u001B[2mthen\u001B[22m\n',
    );
  });

  test('gives a settled call one line with its arguments, result and time', () => {
    expect(rendered([{ type: 'toolCall.settled', call, result: result('one\ntwo\n'), durationMs: 3.4 }])).toBe(
      '✓ read_file(file_path: "a.ts") → 2 lines (3 ms)\n',
    );
    expect(
      rendered([{ type: 'toolCall.settled', call, result: result('a.ts does not exist', 'failed'), durationMs: 1 }]),
    ).toBe('✗ read_file(file_path: "a.ts") → failed: a.ts does not exist (1 ms)\n');
  });

  test('cuts a tool line to the width of the terminal', () => {
    const [line = ''] = rendered([{ type: 'toolCall.settled', call, result: result('x'.repeat(99)), durationMs: 1 }], {
      columns: 30,
    }).split('\n');
    expect(line).toHaveLength(29);
    expect(line.endsWith('…')).toBe(true);
  });

  test('begins a line of its own after unfinished text', () => {
    const reset: readonly EngineEvent[] = [...text('Hel').slice(0, -1), { type: 'stream.reset' }, ...text('Hello')];
    expect(rendered(reset)).toBe('Hel\n(the answer above was cut off and does not count)\nHello\n');
  });

  test('shows retries and transformers that failed', () => {
    const error = new ModelError('model.overloaded', 'The server is\nbusy.', { retryable: true });
    expect(rendered([{ type: 'stream.retrying', attempt: 2, delayMs: 1500, error }])).toBe(
      '↻ retry 2 in 1.5 s: The server is busy.\n',
    );
    expect(
      rendered([
        {
          type: 'transformer.failed',
          name: 'mine',
          stage: 'beforeTurn',
          error: new TurnchartError('transformer.failed', 'No.'),
        },
      ]),
    ).toBe('! transformer mine (beforeTurn) failed: No.\n');
  });

  test('the diff a person decides on is shown whole, and coloured where there are colours', () => {
    const diff = '@@ -1,2 +1,2 @@\n kept\n-old\n+new';
    const events = [{ type: 'toolCall.awaitingApproval', call, preview: { type: 'update', diff } }] as const;
    expect(rendered(events)).toContain('  @@ -1,2 +1,2 @@\n   kept\n  -old\n  +new\n');
    const coloured = rendered(events, { color: true });
    expect(coloured).toContain('\u001B[31m-old\u001B[39m');
    expect(coloured).toContain('\u001B[32m+new\u001B[39m');
  });

  test('shows steered messages, approvals and background work', () => {
    const framed = userMessage(
      [
        { type: 'text', text: '(Sent while you were working.)' },
        { type: 'text', text: 'stop' },
      ],
      { meta: { frame: 1 } },
    );
    expect(rendered([{ type: 'message.injected', message: framed, iteration: 1 }])).toBe('↪ stop\n');
    expect(rendered([{ type: 'message.injected', message: userMessage('stop\nnow'), iteration: 1 }])).toBe(
      '↪ stop now\n',
    );
    expect(rendered([{ type: 'toolCall.awaitingApproval', call }])).toBe(
      '? read_file(file_path: "a.ts") needs approval\n',
    );
    // What a person decides on is never cut.
    const command = `echo ${'x'.repeat(200)}\nrm -rf y\u001B[8m`;
    expect(
      rendered([{ type: 'toolCall.awaitingApproval', call, preview: { type: 'command', command, folder: '/w' } }]),
    ).toBe(`? read_file(file_path: "a.ts") needs approval\n  echo ${'x'.repeat(200)}\n  rm -rf y[8m\n`);
    expect(rendered([{ type: 'toolCall.backgrounded', call, taskId: 'task_1' }])).toBe(
      '⇢ read_file(file_path: "a.ts") continues in the background as task_1\n',
    );
  });

  test('sums the turn up, with the error where there is one', () => {
    const end = {
      type: 'turn.completed',
      turnId: 't',
      iterations: 1,
      usage: { inputTokens: 1204, outputTokens: 88 },
    } as const;
    expect(rendered([{ ...end, reason: 'completed' }])).toBe(
      '✓ completed · 1 model call · 1,204 in, 88 out tokens · 1.2 s\n',
    );
    expect(
      rendered([{ ...end, reason: 'failed', iterations: 2, error: new TurnchartError('model.failed', 'It broke.') }]),
    ).toBe('! It broke.\n✗ failed · 2 model calls · 1,204 in, 88 out tokens · 1.2 s\n');
  });

  test('lets no control sequence of a model or tool through', () => {
    const hostile = '\u001B[2J\u001B]0;title\u0007a\u009B1mb\u202Ec\r\nd\re\tf';
    const printed = rendered([
      ...text(hostile),
      {
        type: 'toolCall.settled',
        call: { ...call, name: hostile, args: { [hostile]: hostile } },
        result: result(hostile),
        durationMs: 1,
      },
    ]);
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(printed).toMatch(/^\[2J\]0;titlea1mbc\nd\ne {4}f\n/);
  });

  test('says nothing about events that others report', () => {
    expect(
      rendered([
        { type: 'turn.started', turnId: 't' },
        { type: 'toolCall.started', call },
        { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } },
      ]),
    ).toBe('');
  });
});

describe('callText', () => {
  test('shows arguments that are not JSON, no object or nothing', () => {
    expect(callText({ type: 'toolCall', id: 'c', name: 'x', rawArgs: '{"a":' })).toBe('x({"a":)');
    expect(callText({ ...call, args: [1, 2] })).toBe('read_file([1,2])');
    expect(callText({ ...call, args: {} })).toBe('read_file()');
  });

  test('cuts long values and long lists of them', () => {
    expect(callText({ ...call, args: { text: 'x'.repeat(99) } })).toBe(`read_file(text: "${'x'.repeat(46)}…)`);
    expect(
      callText({ ...call, args: Object.fromEntries('abcdefghijklmnopqrstuvwxyz'.split('').map((key) => [key, 1])) }),
    ).toHaveLength('read_file()'.length + 80);
  });
});

describe('resultText', () => {
  test('names other content and counts lines with text', () => {
    expect(resultText({ ...result(''), content: [{ type: 'image', source: { type: 'url', url: 'x' } }] })).toBe(
      '(image)',
    );
    expect(resultText(result('a\n\nb\n'))).toBe('2 lines');
    expect(resultText(result(''))).toBe('(nothing)');
  });
});
