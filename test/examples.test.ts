// Every example runs to its end as a reader would run it, and says what it promises.

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');

/** What each example prints, without ids. */
const promised: Readonly<Record<string, readonly string[]>> = {
  'examples/bare-turn.ts': ['accepted', 'read by model call', 'sealed', 'completed 0'],
  'examples/browser-voice.ts': [
    'ek_for_one_page',
    'v=0',
    'raw.send knows no client event "response.invent"',
    'closed: connectionLost',
  ],
  'examples/builders.ts': ['index runs as a task', 'The index is being built.', 'index, TaskOutput, TaskStop'],
  'examples/one-call.ts': ['endTurn {"urgent":true}'],
  'examples/turn-context.ts': ['[{"type":"text","text":"Ann"}]'],
  'examples/background-build.ts': [
    'I start the build.',
    '[Build goes on in the background]',
    'It compiles. I will tell you when it is done.',
    'The app is built, without warnings.',
    'Build completed "compile …\\nlink …\\npack …\\n"',
  ],
  'examples/baseline-tools.ts': ['Glob completed', 'Read failed'],
  'examples/replace-a-step.ts': [
    'hello starts\nhello starts\ndeploy starts\n',
    '"text":"HELLO!"',
    'completed [[{"type":"text","text":"Go."}],[{"type":"text","text":"The second try."}]]',
  ],
  'examples/approvals.ts': [
    "deleteFile wants to: { deletes: '/data/b' }",
    'deleteFile was not allowed to run: Only after the backup has run.',
  ],
  'examples/context.ts': ['budgetToolResults applied', 'saw a short log'],
  'examples/delivery.ts': ['true', 'injected queued rejected', 'answered\nanswered\nrejected\nwithdrawn'],
  'examples/failures.ts': [
    'retry 2 after: The provider is overloaded.',
    'the next model after: The provider is overloaded.',
    'The spare model answers.',
    'completed without an error',
  ],
  'examples/inspect.ts': ['Open http://127.0.0.1:', 'completed and the second message was injected'],
  'examples/inspect-elsewhere.ts': ['completed\n0 messages were lost'],
  'examples/stately-inspector.ts': ['completed'],
  'examples/persistence.ts': ['user: Do you remember me?', 'Read 3 message(s).', 'Read 5 message(s).'],
  'examples/phone-calls.ts': [
    'webhook: accepted',
    'model: Hello! Press 1 for a person.',
    'provider: refer',
    'closed: callEnded',
  ],
  'examples/providers.ts': ['anthropic:claude-sonnet-5', 'openai:gpt-5.4', 'openai:qwen3'],
  'examples/testing.ts': ['answered', 'the same turn'],
  'examples/tools.ts': [
    'convert completed: {"amount":11,"to":"USD"}',
    '"amount" must be number, got string "ten"',
    'report completed: Sales of 2026 <image>',
    'There are no figures for 2030.',
  ],
  'examples/embed-in-a-machine.ts': ['the host ended in "done" because the turn was completed'],
  'examples/quick-start.ts': [
    'Let me look.',
    '[weather: completed]',
    'Clear sky and 21 °C in Paris.',
    'completed: Clear sky and 21 °C in Paris.',
  ],
  'examples/redact-emails.ts': [
    'The transformer "redactEmails" breaks the law blocksUnaltered',
    'The transformer "keepLastSix" breaks the law pairsKept',
    'redactEmails keeps every law',
  ],
  'examples/research-and-review.ts': [
    'researcher: toolCall.started search',
    'researcher: turn.completed completed',
    'reviewer: assistant.settled All is supported by box 7.',
    'The mill was built in 1870 and burnt down later (box 7).',
    '3500 tokens of its own, 250 + 250 + 200 of its subagents',
  ],
  'examples/steer-from-two-channels.ts': [
    'web hears: I have read 1 message(s).',
    'phone hears: I have read 1 message(s).',
    'web hears: Now I have read 3.',
    'phone hears: Now I have read 3.',
    'other hears: Somebody else: 1 message(s).',
    'both callers followed the same turn',
    '4 messages there, 2 here',
  ],
  'examples/steering.ts': ['startedTurn injected', '↪ steered', 'Since Monday: one.', "status: 'answered'"],
  'examples/voice-agent.ts': ['weather: completed', 'heard until 400 ms: "In Paris it i"', 'closed'],
  'examples/weather-http.ts': [
    String.raw`completed [{"type":"text","text":"200 OK\n{\n  \"sky\": \"clear\",\n  \"celsius\": 21\n}"}]`,
    String.raw`failed [{"type":"text","text":"404 Not Found\nno such city"}]`,
    'completed [{"type":"text","text":"Montsouris, 75 m above the sea"}]',
    'the service does not know Atlantis',
  ],
};

test('every example is promised something', () => {
  expect(globSync('examples/*.ts', { cwd: root }).toSorted()).toEqual(Object.keys(promised).toSorted());
});

test.each(Object.entries(promised))('%s prints what it promises', async (file, lines) => {
  const { stdout, stderr } = await run(process.execPath, [resolve(root, file)], { cwd: root });
  expect(stderr).toBe('');
  for (const line of lines) expect(stdout).toContain(line);
});
