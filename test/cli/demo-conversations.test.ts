// What the demo model says and does in whole turns of the real engine, with tools over files held in memory.

import { describe, expect, test } from 'vitest';
import { demoModel } from '../../src/cli/demo-model.ts';
import {
  assistantMessage,
  createConversation,
  createEngine,
  defineTool,
  textOf,
  userMessage,
  type Conversation,
  type EngineEvent,
  type Tool,
  type TurnRun,
} from '../../src/index.ts';
import { verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { codingFolder } from './demo/coding-folder.ts';

const files = {
  'README.md': '# Title\n\nA TODO here.\n',
  'src/a.ts': 'one\ntwo\nthree\n',
  'src/b.ts': '// TODO: a (b)\n',
  "src/it's.tsx": 'one\ntwo\nthree\nfour\n',
  'x.json': '{}\n',
};

async function turn(
  words: string | readonly string[],
  tools: readonly Tool[],
  onToolRuns: (run: TurnRun) => void = () => {},
) {
  const messages = (typeof words === 'string' ? [words] : words).map((text) => userMessage(text));
  const conversation: Conversation = createConversation({ messages });
  const watched = tools.map((tool): Tool => ({
    ...tool,
    execute: (args, context) => (onToolRuns(run), tool.execute(args, context)),
  }));
  const engine = createEngine({ model: demoModel({ paceMs: 0 }), tools: watched, retry: { attempts: 0 } });
  const run = engine.run(conversation);
  const events: EngineEvent[] = [];
  for await (const event of run) events.push(event);
  verifyEvents(events);
  verifyTranscript(conversation);
  const result = await run.result;
  const calls = events.filter((event) => event.type === 'toolCall.started').map(({ call }) => call.name);
  return {
    reason: result.reason,
    answer: result.message === undefined ? '' : textOf(result.message),
    calls,
    conversation,
  };
}

describe('the demo model in a turn', () => {
  test('counts TypeScript files and finds the longest from what the tools answer', async () => {
    const { answer, calls, reason } = await turn(
      'how many TypeScript files are here, and which is the longest?',
      codingFolder(files),
    );
    expect(answer).toBe("There are 3 TypeScript files here. The longest is `src/it's.tsx` with 4 lines.");
    expect(calls).toEqual(['Glob', 'Grep']);
    expect(reason).toBe('completed');
  });

  test('counts lines with a shell where nothing else counts', async () => {
    const { answer, calls } = await turn(
      'which is the longest and the shortest ts file, and how many lines in total?',
      codingFolder(files, ['Glob', 'Bash']),
    );
    expect(answer).toBe(
      'There are 2 .ts files here. The longest is `src/a.ts` with 3 lines. The shortest is `src/b.ts` with 1 line. Together they have 4 lines.',
    );
    expect(calls).toEqual(['Glob', 'Bash']);
  });

  test('counts lines by reading where there is no shell', async () => {
    const { answer, calls } = await turn(
      'which is the longest TypeScript file?',
      codingFolder(files, ['Glob', 'Read']),
    );
    expect(answer).toBe("There are 3 TypeScript files here. The longest is `src/it's.tsx` with 4 lines.");
    expect(calls).toEqual(['Glob', 'Read', 'Read', 'Read']);
  });

  test('says what it cannot do when no tool counts', async () => {
    const { answer } = await turn('which is the longest TypeScript file?', codingFolder(files, ['Glob']));
    expect(answer).toBe(
      'There are 3 TypeScript files here. I could not count their lines: none of the tools I was given can do that.',
    );
  });

  test('says that there are none', async () => {
    expect((await turn('which is the longest Python file?', codingFolder(files))).answer).toBe(
      'There are no Python files here.',
    );
  });

  test('reads a file and shows how it begins', async () => {
    const { answer } = await turn('read README.md', codingFolder(files));
    expect(answer).toBe('`README.md` has 3 lines. It begins:\n```\n# Title\n\nA TODO here.\n```');
  });

  test('says which tool failed and why', async () => {
    const { answer, reason } = await turn('read nope.md', codingFolder(files));
    expect(answer).toBe('I could not read `nope.md`: the tool Read failed (File does not exist: nope.md).');
    expect(reason).toBe('completed');
  });

  test('does the rest when one of two things failed', async () => {
    const { answer } = await turn('read nope.md; read x.json', codingFolder(files));
    expect(answer).toMatch(/^I could not read `nope\.md`.*\n\n`x\.json` has 1 line\./s);
  });

  test('searches for the text as it stands, also where the tool takes regular expressions', async () => {
    const { answer } = await turn('search for "a (b)"', codingFolder(files));
    expect(answer).toBe('`a (b)` is in 1 line of 1 file here.\n- src/b.ts:1 // TODO: a (b)');
  });

  test('counts what it finds', async () => {
    expect((await turn('how many TODOs are there?', codingFolder(files))).answer).toBe(
      '`TODO` is in 2 lines of 2 files here.',
    );
    expect((await turn('search for nothingness', codingFolder(files))).answer).toBe('I found no `nothingness` here.');
  });

  test('runs a command and shows what it printed, nothing, or that it failed', async () => {
    expect((await turn('run `echo hi`', codingFolder(files))).answer).toBe(
      'I ran `echo hi`. It printed 1 line:\n```\nran echo hi\n```',
    );
    expect((await turn('run true', codingFolder(files))).answer).toBe('I ran `true`. It printed nothing.');
    expect((await turn('run false', codingFolder(files))).answer).toBe(
      'I could not run `false`: the tool Bash failed (Exit code 1).',
    );
  });

  test('keeps a to-do list', async () => {
    const { answer, calls } = await turn('make a to-do list: read, write', codingFolder(files));
    expect(answer).toBe('The to-do list has 2 items: read and write.');
    expect(calls).toEqual(['TodoWrite']);
  });

  test('greets, and says that it is a script and what it can do', async () => {
    const { answer, calls } = await turn('hello', codingFolder(files));
    expect(answer).toMatch(/I am a scripted demo model.*not an AI\. With the tools I was given I can list/);
    expect(calls).toEqual([]);
  });

  test('admits that it has no rule for a question', async () => {
    expect((await turn('why is the sky blue?', codingFolder(files))).answer).toMatch(
      /^I have no rule for that\. I am a scripted demo model/,
    );
  });

  test('talks without tools', async () => {
    expect((await turn('list the files', [])).answer).toBe(
      'I could not look for files: none of the tools I was given can do that.',
    );
    expect((await turn('help', [])).answer).toMatch(/I was given no tools I know how to use/);
  });

  test('answers two messages that came together', async () => {
    const { answer } = await turn(['read x.json', 'how many files are here?'], codingFolder(files));
    expect(answer).toMatch(/^`x\.json` has 1 line\..*There are 5 files here\.$/s);
  });

  test('answers an empty conversation', async () => {
    expect((await turn([], codingFolder(files))).answer).toMatch(/^I am a scripted demo model/);
  });

  test('survives a tool whose results make no sense', async () => {
    for (const result of ['!!! ???', '[]', '{"a":', 7, null, undefined]) {
      const tool = defineTool({
        name: 'list_files',
        description: 'Lists files.',
        parameters: { type: 'object', properties: { pattern: { type: 'string' } } },
        execute: () => result,
      });
      expect((await turn('how many ts files are here, and which is the longest?', [tool])).answer).toBe(
        'There are no .ts files here.',
      );
    }
  });
});

describe('the demo model, after an answer that was broken off', () => {
  const answerTo = async (...later: readonly string[]) => {
    const messages = [
      userMessage('read x.json'),
      assistantMessage('I wi', { meta: { cut: 'aborted' } }),
      ...later.map((text) => userMessage(text)),
    ];
    const conversation = createConversation({ messages });
    const result = await createEngine({ model: demoModel({ paceMs: 0 }), tools: codingFolder(files) }).run(conversation)
      .result;
    return result.message && textOf(result.message);
  };

  test('does what it was asked when it is resumed, or told to continue', async () => {
    expect(await answerTo()).toMatch(/^`x\.json` has 1 line\./);
    expect(await answerTo('go on')).toMatch(/`x\.json` has 1 line\./);
  });

  test('leaves it when something else is asked, and does both for "also"', async () => {
    expect(await answerTo('read src/a.ts')).toMatch(/^`src\/a\.ts` has 3 lines\.(?!.*x\.json)/s);
    expect(await answerTo('also read src/a.ts')).toMatch(/^`x\.json`.*`src\/a\.ts` has 3 lines\./s);
  });
});

describe('the demo model, steered while its first tool runs', () => {
  const steered = (words: string) => {
    let sent = false;
    return turn('how many TypeScript files are here, and which is the longest?', codingFolder(files), (run) => {
      if (!sent) expect(run.steer(words)).toBe('accepted');
      sent = true;
    });
  };

  test('stops when told to, and says what it had done', async () => {
    const { answer, calls } = await steered('stop');
    expect(answer).toBe('Stopped, as you asked. Until then I had made 1 tool call (`Glob`).');
    expect(calls).toEqual(['Glob']);
  });

  test('does the other thing instead', async () => {
    const { answer, calls, conversation } = await steered('no, read x.json instead');
    expect(answer).toMatch(/^`x\.json` has 1 line\./);
    expect(calls).toEqual(['Glob', 'Read']);
    const said = conversation.messages.filter(({ role }) => role === 'assistant').map(textOf);
    expect(said[1]).toBe('Changing course, as you said: "no, read x.json instead". I will read `x.json`.');
  });

  test('changes course for a plain request too', async () => {
    expect((await steered('read x.json')).calls).toEqual(['Glob', 'Read']);
  });

  test('does what was asked also, after the first request', async () => {
    const { answer, calls } = await steered('also read x.json');
    expect(calls).toEqual(['Glob', 'Grep', 'Read']);
    expect(answer).toMatch(/^There are 3 TypeScript files here\..*`x\.json` has 1 line\./s);
  });

  test('continues when it has no rule for what was said', async () => {
    const { answer, calls, conversation } = await steered('how is the weather?');
    expect(answer).toMatch(/^There are 3 TypeScript files here\. The longest/);
    expect(calls).toEqual(['Glob', 'Grep']);
    expect(conversation.messages.map(textOf)).toContainEqual(
      expect.stringMatching(
        /^I got "how is the weather\?", but have no rule for it while I work, so I go on\. Next I count/,
      ),
    );
  });
});
