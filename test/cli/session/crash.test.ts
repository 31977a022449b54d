// The command with a session, killed and started again. Processes of their own: what counts is what they leave on the
// disk.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeConversation } from '../../../src/codec/index.ts';
import { textOf, type Conversation, type OperativeEvent } from '../../../src/index.ts';
import { verifyEvents, verifyTranscript } from '../../../src/testing/index.ts';
import { bareEnvironment, commandFile, runCommand, startCommand } from '../command.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const question = 'how many TypeScript files are here, and which is the longest?';
const answer = 'There are 2 TypeScript files here. The longest is `src/longer.ts` with 3 lines.';

function place() {
  const folder = temporaryFolder({ 'a.ts': 'one\n', 'src/longer.ts': 'one\ntwo\nthree\n' });
  const state = temporaryFolder({});
  const sessions = join(state, 'turnchart', 'sessions');
  const env = { XDG_STATE_HOME: state };
  const stored = (): Conversation => decodeConversation(readFileSync(join(sessions, 'work.json'), 'utf8'));
  return { folder, sessions, env, stored };
}

const eventsIn = (stdout: string): readonly OperativeEvent[] =>
  stdout
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as OperativeEvent); // what the command wrote

/** Runs a turn and kills it the moment it has written its line number `lines`; resolves to what it had written. */
function killedAfter(lines: number, folder: string, env: NodeJS.ProcessEnv): Promise<readonly OperativeEvent[]> {
  const child = spawn(process.execPath, [commandFile, '--session', 'work', '--json', '--pace', '1', '-p', question], {
    cwd: folder,
    env: { ...bareEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (stdout.split('\n').length > lines) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(eventsIn(stdout)));
  });
}

describe('turnchart --session', { timeout: 90_000 }, () => {
  test('continues with the conversation, in a file that only its owner reads', async () => {
    const { folder, sessions, env, stored } = place();
    await runCommand(folder, ['--session', 'work', '-p', question, '--pace', '0'], { env });
    const { code, stdout } = await runCommand(folder, ['--session', 'work', '-p', 'read a.ts', '--pace', '0'], { env });
    expect(stdout).toContain('`a.ts` has 1 line.');
    expect(code).toBe(0);
    const { messages } = stored();
    verifyTranscript(stored());
    expect(messages.filter(({ role }) => role === 'user').map(textOf)).toEqual([question, 'read a.ts']);
    expect(readdirSync(sessions)).toEqual(['work.json']);
    expect(statSync(join(sessions, 'work.json')).mode & 0o077).toBe(0);
  });

  test('refuses a second process in one sentence with 2, and the first continues', async () => {
    const { folder, sessions, env } = place();
    const first = startCommand(folder, ['--session', 'work', '--json', '-p', question, '--pace', '60000'], env);
    await first.spoke;
    const second = await runCommand(folder, ['--session', 'work', '-p', 'hello'], { env });
    expect(second).toEqual({
      code: 2,
      stdout: '',
      stderr: `turnchart: session "work" is in use: process ${first.child.pid} uses it\n`,
    });
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(143);
    expect(existsSync(join(sessions, 'work.lock'))).toBe(false);
  });

  test('leaves alone a file that it cannot read', async () => {
    const { folder, sessions, env } = place();
    mkdirSync(sessions, { recursive: true });
    writeFileSync(join(sessions, 'work.json'), '{"format":');
    const { code, stderr } = await runCommand(folder, ['--session', 'work', '-p', 'hello'], { env });
    expect(stderr).toMatch(
      /^turnchart: session "work" cannot be read from .*work\.json: Cannot decode the conversation/,
    );
    expect(code).toBe(2);
    expect(readFileSync(join(sessions, 'work.json'), 'utf8')).toBe('{"format":');
  });

  test('says when there is nothing to resume, and when a prompt is missing', async () => {
    const { folder, env } = place();
    const resumed = await runCommand(folder, ['--session', 'work', '--resume'], { env });
    expect(resumed.stderr).toContain('nothing to resume');
    expect(resumed.code).toBe(0);
    const bare = await runCommand(folder, ['--session', 'work'], { env });
    expect(bare.stderr).toContain('a session needs a prompt or --resume');
    expect(bare.code).toBe(2);
  });

  test('a session that cannot be written is reported once, and the turn continues', async () => {
    const { folder, sessions, env } = place();
    mkdirSync(join(sessions, 'work.json.tmp'), { recursive: true }); // where the text would be written
    const { code, stdout, stderr } = await runCommand(folder, ['--session', 'work', '-p', question, '--pace', '0'], {
      env,
    });
    expect(stdout).toContain(answer);
    expect(stderr.match(/the session cannot be saved to/g)).toHaveLength(1);
    expect(code).toBe(0);
  });
});

describe('turnchart --session, killed', { timeout: 90_000 }, () => {
  // Without pauses the turn writes about 100 lines: killed after those that report a step, and between them.
  test.for([1, 2, 20, 38, 39, 40, 42, 60, 78, 79, 81, 101])(
    'after line %i: what was said and done is there, once, and resume answers it',
    async (lines) => {
      const { folder, env, stored } = place();
      const seen = await killedAfter(lines, folder, env);
      const before = stored();
      const { code, stdout } = await runCommand(folder, ['--session', 'work', '--resume', '--json', '--pace', '0'], {
        env,
      });
      expect(code).toBe(0);
      const events = eventsIn(stdout);
      if (events.length > 0) verifyEvents(events);
      const after = stored();
      verifyTranscript(after);
      expect(after.messages.filter(({ role }) => role === 'user').map(textOf)).toEqual([question]);
      expect(textOf(after.messages.at(-1) ?? { id: '', role: 'user', content: [] })).toBe(answer);
      expect(after.messages.slice(0, before.messages.length).map(({ id }) => id)).toEqual(
        before.messages.map(({ id }) => id),
      );
      const blocks = after.messages.flatMap(({ content }) => content);
      for (const event of seen) if (event.type === 'toolCall.settled') expect(blocks).toContainEqual(event.result);
    },
  );
});
