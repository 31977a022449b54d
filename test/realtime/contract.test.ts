// The tags of the public surface, and that a program can tell events and inputs apart by them.

import { expect, expectTypeOf, test } from 'vitest';
import * as realtime from '../../src/realtime/index.ts';
import type {
  RealtimeCapability,
  RealtimeEvent,
  RealtimeInput,
  RealtimePhase,
  RealtimeSession,
} from '../../src/realtime/index.ts';

test('events carry the tags that are promised', () => {
  type Promised =
    | `session.${'ready' | 'expiring' | 'reconnecting' | 'reconnected' | 'closed'}`
    | `speech.${'started' | 'stopped'}`
    | `audio.${'delta' | 'done'}`
    | 'transcript.delta'
    | 'text.delta'
    | `response.${'started' | 'completed' | 'interrupted'}`
    | 'usage'
    | 'congestion'
    | 'error'
    | 'raw';
  expectTypeOf<Exclude<Promised, RealtimeEvent['type']>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<RealtimeEvent, { type: `toolCall.${string}` }>>().not.toEqualTypeOf<never>();
  expectTypeOf<Extract<RealtimeEvent, { type: `call.${string}` }>>().not.toEqualTypeOf<never>();
});

test('inputs carry the tags that are promised', () => {
  type Promised =
    | `audio.${'append' | 'commit' | 'clear'}`
    | 'text.send'
    | 'image.send'
    | `response.${'request' | 'interrupt'}`
    | 'session.update'
    | 'playback.report'
    | 'toolResult.send'
    | 'raw.send'
    | `call.${'hangup' | 'refer' | 'dtmf'}`;
  expectTypeOf<Exclude<Promised, RealtimeInput['type']>>().toEqualTypeOf<never>();
});

test('a switch over the tag narrows to the fields', () => {
  const bytes = (event: RealtimeEvent): number => {
    switch (event.type) {
      case 'audio.delta':
        return event.audio.byteLength;
      case 'response.interrupted':
        return event.playedMs ?? 0;
      default:
        return 0;
    }
  };
  expect(
    bytes({
      type: 'audio.delta',
      responseId: 'r',
      itemId: 'i',
      contentIndex: 0,
      audio: new Uint8Array(3),
      sequence: 1,
    }),
  ).toBe(3);
  expectTypeOf<Extract<RealtimeInput, { type: 'audio.append' }>['audio']>().toEqualTypeOf<Uint8Array>();
});

test('capabilities and phases are the words that are promised', () => {
  expectTypeOf<RealtimeSession['capabilities']>().toEqualTypeOf<ReadonlySet<RealtimeCapability>>();
  expectTypeOf<RealtimePhase>().toEqualTypeOf<
    | 'connecting'
    | 'ready'
    | 'listening'
    | 'userSpeaking'
    | 'responding'
    | 'interrupting'
    | 'toolRunning'
    | 'draining'
    | 'reconnecting'
    | 'closed'
  >();
});

test('the entry gives two functions', () => {
  expect(Object.keys(realtime).toSorted()).toEqual(['connectRealtime', 'createRealtimeOperative']);
});
