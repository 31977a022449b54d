import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPresentation } from '../../src/cli/presentation.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const held = () => Promise.withResolvers<void>();

describe('createPresentation', () => {
  test('shows at once what waits for nothing', () => {
    const shown: string[] = [];
    createPresentation().show(() => shown.push('a'), { isRecord: true });
    expect(shown).toEqual(['a']);
  });

  test('shows records after they are stored, and everything else in its place between them', async () => {
    const shown: string[] = [];
    const disk = held();
    const presentation = createPresentation(() => disk.promise);
    presentation.show(() => shown.push('before'));
    presentation.show(() => shown.push('record'), { isRecord: true });
    presentation.show(() => shown.push('after'));
    await vi.advanceTimersByTimeAsync(10);
    expect(shown).toEqual(['before']);
    disk.resolve();
    await presentation.shown();
    expect(shown).toEqual(['before', 'record', 'after']);
  });

  test('waits for a stalled disk one second and no longer', async () => {
    const shown: string[] = [];
    const presentation = createPresentation(() => held().promise);
    presentation.show(() => shown.push('record'), { isRecord: true });
    await vi.advanceTimersByTimeAsync(999);
    expect(shown).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(shown).toEqual(['record']);
  });

  test('keeps the place of what waits for an answer', async () => {
    const shown: string[] = [];
    const answer = held();
    const presentation = createPresentation();
    presentation.show(() => shown.push('asked'), { after: answer.promise });
    presentation.show(() => shown.push('later'));
    answer.resolve();
    await presentation.shown();
    expect(shown).toEqual(['asked', 'later']);
  });
});
