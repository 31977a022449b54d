// What an inspector is shown of a live session: every state of its chart, who runs under it, and little else.

import { describe, expect, test } from 'vitest';
import type { RealtimeSessionOptions } from '../../src/contracts/realtime.ts';
import { inspectorMessage, type InspectorMessage } from '../../src/inspect/index.ts';
import { audioOf, openSession, responseEnd, speech } from './fake-wire.ts';

interface SessionSnapshot {
  readonly value?: unknown;
  readonly context?: { readonly scope: { readonly phase: string } };
}

/** One question by voice and its answer, cut off by speech; then the end. */
async function inspected(more: RealtimeSessionOptions = {}) {
  const messages: InspectorMessage[] = [];
  const phases: string[] = [];
  const inspect = (event: unknown) => {
    const message = inspectorMessage(event, 0);
    if (message !== undefined) messages.push(message);
  };
  const fake = await openSession({}, { ...more, inspect });
  const { session, wire } = fake;
  const note = () => phases.push(session.phase);
  note();
  await session.send({ type: 'audio.append', audio: audioOf(200) });
  note();
  wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 5_000));
  note();
  for (let index = 0; index < 50; index++) wire.give(speech('r1', 'i1', 100));
  await fake.host.advance(1_000);
  wire.give({ type: 'speech.started', itemId: 'u1' });
  wire.give(responseEnd('r1', { status: 'cancelled' }));
  note();
  await session.close();
  note();
  return { messages, phases };
}

const actorsOf = (messages: readonly InspectorMessage[]) =>
  messages.flatMap((message) => (message.type === '@xstate.actor' ? [message] : []));

/** The snapshots of the session's own chart. */
function snapshotsOf(messages: readonly InspectorMessage[]): SessionSnapshot[] {
  const root = actorsOf(messages)[0]?.sessionId;
  return messages.flatMap((message) =>
    message.type === '@xstate.snapshot' && message.sessionId === root ? [message.snapshot as SessionSnapshot] : [],
  );
}

/** `live: input.listening response.active`: the regions that are not as they were at first. */
function briefly(value: unknown): string {
  if (typeof value === 'string') return value;
  const [[name, inner] = ['', '']] = Object.entries(value as Record<string, unknown>);
  if (typeof inner === 'string') return `${name}.${inner}`;
  const resting = { link: 'open', input: 'quiet', response: 'idle', playback: 'silent', tools: 'noCall', debt: 'even' };
  const moved = Object.entries(inner as Record<string, string>).filter(
    ([region, state]) => resting[region as keyof typeof resting] !== state,
  );
  return [`${name}:`, ...moved.map((pair) => pair.join('.'))].join(' ');
}

describe('an inspector of a realtime session', () => {
  test('sees each state it goes through, in order', async () => {
    const { messages } = await inspected();
    const values = snapshotsOf(messages).map(({ value }) => briefly(value));
    expect(values.filter((value, index) => value !== values[index - 1])).toEqual([
      'resting',
      'connecting.dialing',
      'connecting.awaitingSession',
      'connecting.configuring',
      'live:',
      'live: input.listening',
      'live: input.listening response.active',
      'live: input.listening response.active playback.playing',
      'live: input.speaking response.cancelling playback.flushing',
      'live: input.speaking response.cancelling',
      'live: input.speaking',
      'closing',
      'closed',
    ]);
  });

  test('sees the phase the application sees', async () => {
    const { messages, phases } = await inspected();
    const shown = new Set(snapshotsOf(messages).map(({ context }) => context?.scope.phase));
    expect(phases).toEqual(['ready', 'listening', 'responding', 'userSpeaking', 'closed']);
    expect(phases.filter((phase) => !shown.has(phase))).toEqual([]);
  });

  test('sees one tree: the session, and under it whatever it waits for', async () => {
    const { messages } = await inspected();
    const [root, ...rest] = actorsOf(messages);
    expect([root?.name, root?.parentId]).toEqual(['realtimeSession', undefined]);
    expect(new Set(rest.map(({ parentId }) => parentId))).toEqual(new Set([root?.sessionId]));
    expect([...new Set(rest.map(({ name }) => name))].toSorted()).toEqual([
      'answerDeadline',
      'cancelDeadline',
      'closeDeadline',
      'configureDeadline',
      'dialDeadline',
      'expiry',
      'flushDeadline',
      'keepAlive',
      'playDeadline',
      'sessionDeadline',
      'speechDeadline',
    ]);
  });

  test('reads at each actor what it is for', async () => {
    const { messages } = await inspected();
    const described = actorsOf(messages).map(({ name, definition }) => {
      const { description } = JSON.parse(definition) as { readonly description?: string };
      return { name, isSentence: description?.endsWith('.') };
    });
    expect(described.filter(({ isSentence }) => isSentence !== true)).toEqual([]);
  });

  test('gets neither audio nor the system prompt', async () => {
    const { messages } = await inspected({ systemPrompt: [{ type: 'text', text: 'a secret of the application' }] });
    const texts = messages.map((message) => JSON.stringify(message));
    expect(texts.join('')).not.toContain('a secret');
    const longest = messages.map((message, index) =>
      message.type === '@xstate.actor' ? 0 : (texts[index]?.length ?? 0),
    );
    expect(Math.max(...longest)).toBeLessThan(2_000);
  });
});
