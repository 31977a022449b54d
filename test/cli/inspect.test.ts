import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { runCommand, startCommand } from './command.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = () => temporaryFolder({ 'README.md': 'line\n' });

test('--inspect prints an address, on which the page and what happens can be seen', async () => {
  const { child, ended } = startCommand(folder(), ['-p', 'how many files are here?', '--inspect', '--pace', '40']);
  let said = '';
  while (!/http\S+/.test(said)) said += String((await once(child.stderr, 'data'))[0]);
  const [url = ''] = /http\S+/.exec(said) ?? [];
  expect(said).toMatch(/^turnchart: inspector: http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\n$/);
  const names: string[] = [];
  const socket = new WebSocket(`${url.replace('http:', 'ws:')}?role=viewer`);
  socket.on('message', (data: Buffer) => {
    const { type, name } = JSON.parse(data.toString()) as { readonly type: string; readonly name?: string };
    if (type === '@xstate.actor' && name !== undefined) names.push(name);
  });
  socket.on('error', () => undefined);
  expect(await (await fetch(url)).text()).toContain('turnchart inspector');
  await ended;
  expect(names).toEqual(expect.arrayContaining(['operative', 'transcript', 'turn', 'streamModel', 'toolCall:0']));
});

test('without --inspect nothing listens, and nothing is said', async () => {
  const { stderr, code } = await runCommand(folder(), ['-p', 'how many files are here?', '--pace', '0']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});
