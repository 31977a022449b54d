// The API reference as it is checked in: what npm run docs makes of the declarations.

import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { RealtimeEvent } from '../../src/realtime/index.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = await Promise.all(
  globSync('docs/api/*.md', { cwd: root }).map(async (path) => ({
    path,
    text: await readFile(resolve(root, path), 'utf8'),
  })),
);

test('cuts nothing short but the types of charts', () => {
  const cut = pages.flatMap(({ text }) => text.match(/^.* …$/gm) ?? []);
  expect(cut.filter((line) => !/^export const \w+Machine: …$/.test(line))).toEqual([]);
});

// Not a list that can go stale: an event without a line here does not compile.
const eventTypes = {
  'session.ready': true,
  'session.expiring': true,
  'session.updated': true,
  'session.reconnecting': true,
  'session.reconnected': true,
  'session.closed': true,
  'speech.started': true,
  'speech.stopped': true,
  'speech.committed': true,
  'audio.delta': true,
  'audio.done': true,
  'transcript.delta': true,
  'text.delta': true,
  'response.started': true,
  'response.completed': true,
  'response.interrupted': true,
  'toolCall.requested': true,
  'toolCall.awaitingApproval': true,
  'toolCall.started': true,
  'toolCall.progress': true,
  'toolCall.backgrounded': true,
  'toolCall.settled': true,
  'toolCall.resultSent': true,
  'toolCall.cancelled': true,
  usage: true,
  congestion: true,
  'call.ringing': true,
  'call.answered': true,
  'call.ended': true,
  'call.dtmf': true,
  error: true,
  raw: true,
} satisfies Record<RealtimeEvent['type'], true>;

test('shows every event of a session', () => {
  const page = pages.find(({ path }) => path.endsWith('api/realtime.md'))?.text ?? '';
  const declared = page.slice(page.indexOf('### `RealtimeEvent`'), page.indexOf('### `RealtimeInput`'));
  expect(Object.keys(eventTypes).filter((type) => !declared.includes(`'${type}'`))).toEqual([]);
});
