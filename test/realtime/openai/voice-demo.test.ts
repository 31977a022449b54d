// The voice demo as a reader would run it: it ends by itself, shows the phases, and what it recorded is what it says.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
let folder = '';
let said = { stdout: '', stderr: '' };
let wav = Buffer.alloc(0);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voice-demo-'));
  const file = join(folder, 'conversation.wav');
  said = await run(process.execPath, [resolve(root, 'examples/voice-demo/main.ts'), file], { timeout: 50_000 });
  wav = await readFile(file);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Seconds in which a channel is louder than a breath. */
function loudSeconds(channel: 0 | 1): number {
  let loud = 0;
  for (let at = 44 + channel * 2; at + 2 <= wav.length; at += 4) if (Math.abs(wav.readInt16LE(at)) > 300) loud++;
  return loud / 24_000;
}

test('it says nothing on the error stream', () => {
  expect(said.stderr).toBe('');
});

test('it shows the phases and sums up', () => {
  for (const phase of [
    'connecting',
    'ready',
    'listening',
    'userSpeaking',
    'toolRunning',
    'responding',
    'interrupting',
    'closed',
  ]) {
    expect(said.stdout).toContain(`── ${phase}`);
  }
  expect(said.stdout).toContain('tool calls    2');
  expect(said.stdout).toContain('model: “Rome has twenty six degrees and sun all day. Enjoy it!”');
});

test('what was reported to the server as heard is what was heard', () => {
  const [, heard, told] = /interruption {2}(\d+) ms .* told (\d+) ms/.exec(said.stdout) ?? [];
  expect(Number(heard)).toBeGreaterThan(1000);
  expect(told).toBe(heard);
});

test('the recording holds both voices, the interrupted answer not to its end', () => {
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
  expect(loudSeconds(0)).toBeGreaterThan(1);
  const spoken = loudSeconds(1);
  expect(spoken).toBeGreaterThan(1.5);
  expect(spoken).toBeLessThan(8); // the two answers have more than ten seconds of voice
});
