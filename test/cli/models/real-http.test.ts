// The command over HTTP against a provider server nobody here wrote, and against one that misbehaves.

import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startFaultServer } from '../../adapters/fault-server.ts';
import { runCommand } from '../command.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const mock = new LLMock({ port: 0 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());
afterEach(() => {
  mock.clearRequests();
  mock.clearFixtures();
});

const folder = () => temporaryFolder({ 'a.ts': 'one\n', 'b.ts': 'one\ntwo\n' });
const answerWithTool = () => {
  mock.on(
    { userMessage: 'how many files', hasToolResult: false },
    { toolCalls: [{ name: 'Glob', arguments: '{"pattern":"**/*.ts"}' }] },
  );
  mock.on({ userMessage: 'how many files', hasToolResult: true }, { content: 'Two, I am told. 北京 🌍' });
};
const question = ['-p', 'how many files are here?'];

test.for([
  [
    'anthropic:claude-sonnet-5',
    (): NodeJS.ProcessEnv => ({ ANTHROPIC_API_KEY: 'mock', ANTHROPIC_BASE_URL: mock.url }),
    (): string => 'named by --model',
  ],
  [
    'openai:gpt-5.4',
    (): NodeJS.ProcessEnv => ({ OPENAI_API_KEY: 'mock', OPENAI_BASE_URL: `${mock.url}/v1` }),
    (): string => `named by --model, at ${mock.url}/v1`,
  ],
] as const)('%s answers with a tool of the command', async ([model, env, why]) => {
  answerWithTool();
  const { code, stdout, stderr } = await runCommand(folder(), [...question, '--model', model], { env: env() });
  expect(stderr).toBe('');
  expect(stdout.split('\n')[0]).toBe(`${model}: ${why()}`);
  expect(stdout).toMatch(/^✓ Glob\(pattern: "\*\*\/\*\.ts"\) → 2 lines/m);
  expect(stdout).toContain('Two, I am told. 北京 🌍\n');
  expect(code).toBe(0);
  expect(mock.getRequests()).toHaveLength(2);
});

test('a base URL with a model id answers, without a key', async () => {
  answerWithTool();
  const { code, stdout } = await runCommand(folder(), [...question, '--model', `${mock.url}#any-model`], {
    env: { OPENAI_API_KEY: 'secret-of-another-host' },
  });
  expect(stdout).toContain('Two, I am told.');
  expect(code).toBe(0);
  expect(JSON.stringify(mock.getRequests())).not.toContain('secret-of-another-host');
});

test('a key of the environment is found and reported', async () => {
  answerWithTool();
  const { code, stdout } = await runCommand(folder(), question, {
    env: { ANTHROPIC_API_KEY: 'mock', ANTHROPIC_BASE_URL: mock.url },
  });
  expect(stdout.split('\n')[0]).toBe('anthropic:claude-sonnet-5: ANTHROPIC_API_KEY is set');
  expect(code).toBe(0);
});

test('a wrong key ends the command with 1 and a message one can act on, without the key', async () => {
  await using server = await startFaultServer([
    {
      status: 401,
      chunks: ['{"error":{"message":"Incorrect API key provided: sk-secret","type":"invalid_request_error"}}'],
    },
  ]);
  const { code, stdout, stderr } = await runCommand(folder(), [...question, '--model', 'openai:gpt-5.4'], {
    env: { OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: `${server.url}/v1` },
  });
  expect(stderr).toMatch(/^turnchart: the turn failed: .*key/im);
  expect(stdout).toMatch(/^✗ failed · 1 model call/m);
  expect(stdout).not.toMatch(/key/i); // the reason is told once
  expect(stdout + stderr).not.toContain('sk-secret');
  expect(code).toBe(1);
  expect(server.requests).toHaveLength(1);
});

test('a model that cannot be had is reported in one sentence with 2', async () => {
  expect(await runCommand(folder(), [...question, '--model', 'openai:gpt-5.4'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'turnchart: openai:gpt-5.4 needs a key: set OPENAI_API_KEY\n',
  });
});
