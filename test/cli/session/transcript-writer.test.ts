import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTranscriptWriter } from '../../../src/cli/session/transcript-writer.ts';
import { temporaryFolder } from '../temporary-folder.ts';

function writerOf() {
  const folder = temporaryFolder({});
  const path = join(folder, 'file.json');
  const state = { text: '' };
  let asked = 0;
  const faults: unknown[] = [];
  const { save } = createTranscriptWriter({
    path,
    text: () => {
      asked++;
      return state.text;
    },
    onFault: (fault) => faults.push(fault),
  });
  return { folder, path, state, save, faults, timesAsked: () => asked };
}

describe('createTranscriptWriter', () => {
  test('has written the state of its call, or a newer one, when a save resolves', async () => {
    const { path, state, save } = writerOf();
    const saves: Promise<void>[] = [];
    for (let number = 1; number <= 20; number++) {
      state.text = String(number);
      saves.push(save().then(() => expect(Number(readFileSync(path, 'utf8'))).toBeGreaterThanOrEqual(number)));
    }
    await Promise.all(saves);
    expect(readFileSync(path, 'utf8')).toBe('20');
  });

  test('writes once for all that came while it wrote', async () => {
    const { save, timesAsked } = writerOf();
    await Promise.all(Array.from({ length: 50 }, save));
    expect(timesAsked()).toBe(2);
  });

  test('leaves no temporary file behind and lets nobody else read what it wrote', async () => {
    const { folder, save } = writerOf();
    await save();
    expect(readdirSync(folder)).toEqual(['file.json']);
  });

  test('reports a fault, keeps the last whole state, and tries again at the next save', async () => {
    const { path, state, save, faults } = writerOf();
    state.text = 'good';
    await save();
    Object.defineProperty(state, 'text', {
      configurable: true,
      get: () => {
        throw new Error('no JSON');
      },
    });
    await save();
    expect(faults).toEqual([new Error('no JSON')]);
    expect(readFileSync(path, 'utf8')).toBe('good');
    Object.defineProperty(state, 'text', { value: 'better' });
    await save();
    expect(readFileSync(path, 'utf8')).toBe('better');
  });
});
