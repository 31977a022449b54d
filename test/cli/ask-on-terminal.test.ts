import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { approveBy } from '../../src/cli/approval.ts';
import { askOnTerminal } from '../../src/cli/ask-on-terminal.ts';
import { createConversation, createEngine, defineTool, userMessage } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { bashTool } from '../../src/tools/index.ts';

const never = new AbortController().signal;

function terminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  const unasked: string[] = [];
  const held: boolean[] = [];
  const ask = askOnTerminal({
    input,
    output,
    onUnasked: (question) => unasked.push(question),
    hold: (isHeld) => held.push(isHeld),
  });
  return { input, output, unasked, held, ask };
}

describe('askOnTerminal', () => {
  test.for([
    ['y', true],
    ['YES', true],
    ['n', false],
    ['', false],
    ['yellow', false],
  ] as const)('takes "%s" for %s, and holds what is redrawn meanwhile', async ([answer, allowed]) => {
    const { input, output, held, ask } = terminal(true);
    input.write(`${answer}\n`);
    expect(await ask('Allow it?', never)).toBe(allowed);
    expect(String(output.read())).toBe('? Allow it? y/n ');
    expect(held).toEqual([true, false]);
  });

  test('asks one question after the other', async () => {
    const { input, ask } = terminal(true);
    const answers = [ask('one', never), ask('two', never)];
    input.write('y\n');
    expect(await answers[0]).toBe(true);
    input.write('n\n');
    expect(await answers[1]).toBe(false);
  });

  test('answers no if nobody can be asked, and says so', async () => {
    const { unasked, ask } = terminal(false);
    expect(await ask('Allow it?', never)).toBe(false);
    expect(unasked).toEqual(['Allow it?']);
  });

  test('gives up when the signal is aborted', async () => {
    const { ask } = terminal(true);
    const abort = new AbortController();
    const answer = ask('Allow it?', abort.signal);
    abort.abort();
    expect(await answer).toBe(false);
    expect(await ask('Another?', abort.signal)).toBe(false);
  });
});

describe('approveBy', () => {
  const turnWith = async (allowed: boolean) => {
    const questions: string[] = [];
    const tool = defineTool({
      name: 'write',
      description: 'Writes.',
      parameters: { type: 'object', properties: { file: { type: 'string' } } },
      execute: () => 'written',
    });
    const approve = approveBy((question) => {
      questions.push(question);
      return Promise.resolve(allowed);
    });
    const model = scriptedModel([{ calls: [{ name: 'write', args: { file: 'a.ts' } }] }, { text: 'Done.' }]);
    const conversation = createConversation({ messages: [userMessage('go')] });
    await createEngine({ model, tools: [tool], approve }).run(conversation).result;
    return { questions, result: conversation.messages[2]?.content[0] };
  };

  test('asks about the call and runs it on a yes', async () => {
    const { questions, result } = await turnWith(true);
    expect(questions).toEqual(['Allow write(file: "a.ts")?']);
    expect(result).toMatchObject({ status: 'completed' });
  });

  test('shows a command whole, and where it will run', async () => {
    const questions: string[] = [];
    const tool = bashTool({ cwd: tmpdir() });
    const command = `echo ${'x'.repeat(300)} && rm -rf y`;
    const model = scriptedModel([{ calls: [{ name: 'Bash', args: { command } }] }, { text: 'Done.' }]);
    const approve = approveBy((question) => {
      questions.push(question);
      return Promise.resolve(false);
    });
    const conversation = createConversation({ messages: [userMessage('go')] });
    await createEngine({ model, tools: [tool], approve }).run(conversation).result;
    expect(questions).toEqual([`Allow Bash in ${tmpdir()}: ${command} ?`]);
  });

  test('reports a no to the model', async () => {
    expect((await turnWith(false)).result).toMatchObject({
      status: 'denied',
      content: [
        { type: 'text', text: expect.stringContaining('the user said no, or nobody could be asked') as string },
      ],
    });
  });
});
