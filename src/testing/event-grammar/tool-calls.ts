// The calls of one assistant message, from assistant.settled to toolResults.settled. Called by the turn's grammar.

import type { ToolCallBlock, ToolResultBlock, ToolResultStatus } from '../../conversation/block.ts';
import type { Message } from '../../conversation/message.ts';
import type { EngineEvent } from '../../contracts/events.ts';
import { expect, show } from './breach.ts';

/** Anything about a single call. */
export type ToolCallEvent = Extract<EngineEvent, { type: `toolCall.${string}` }>;

type CallState = 'open' | 'awaitingApproval' | 'started' | 'backgrounded' | 'settled';

interface Call {
  readonly block: ToolCallBlock;
  state: CallState;
  hasStarted: boolean;
  result?: ToolResultBlock;
}

/** The calls of one answer. */
export interface ToolCalls {
  /** By id, in call order. */
  readonly byId: Map<string, Call>;
  /** A rewrite after the answer may have changed the calls: then only their own events show what they are. */
  isRewritten: boolean;
}

/** In which states of its call an event may come: `awaitingApproval? started? progress* backgrounded? settled`. */
const allowedAfter: Readonly<Record<ToolCallEvent['type'], readonly CallState[]>> = {
  'toolCall.awaitingApproval': ['open'],
  'toolCall.started': ['open', 'awaitingApproval'],
  'toolCall.progress': ['started'],
  'toolCall.backgrounded': ['started'],
  'toolCall.settled': ['open', 'awaitingApproval', 'started', 'backgrounded'],
};

const neverRan: ReadonlySet<ToolResultStatus> = new Set<ToolResultStatus>([
  'denied',
  'notStarted',
  'unknownTool',
  'invalidArguments',
  'truncated',
]);

// `failed` may also come before the start: a preview or a timeout rule may throw.
const mustHaveRun: ReadonlySet<ToolResultStatus> = new Set<ToolResultStatus>(['completed', 'timedOut', 'interrupted']);

/** No calls at all. */
export function noCalls(): ToolCalls {
  return { byId: new Map(), isRewritten: false };
}

/** The calls of a settled assistant message; expects their ids to be unique. */
export function callsOf(message: Message): ToolCalls {
  const byId: ToolCalls['byId'] = new Map();
  for (const block of message.content) {
    if (block.type !== 'toolCall') continue;
    expect(!byId.has(block.id), `call ids that are unique in their message, and ${show(block.id)} comes twice`);
    byId.set(block.id, { block, state: 'open', hasStarted: false });
  }
  return { byId, isRewritten: false };
}

/** Checks that the event may come now, and remembers it. */
export function readToolCallEvent(calls: ToolCalls, event: ToolCallEvent): void {
  const id = event.type === 'toolCall.progress' ? event.callId : event.call.id;
  if (calls.isRewritten && event.type !== 'toolCall.progress' && !calls.byId.has(id)) {
    calls.byId.set(id, { block: event.call, state: 'open', hasStarted: false });
  }
  const call = calls.byId.get(id);
  expect(call !== undefined, () => `a call of the settled message (${[...calls.byId.keys()].map(show).join(', ')})`);
  const states = allowedAfter[event.type];
  expect(
    states.includes(call.state),
    () => `${event.type} only when the call is ${states.join(' or ')}: it is ${call.state}`,
  );
  if (event.type !== 'toolCall.progress') {
    expect(event.call.name === call.block.name, `a call of ${show(call.block.name)}, as in the settled message`);
  }
  if (event.type === 'toolCall.settled') settle(call, event.result);
  else if (event.type === 'toolCall.started') {
    call.hasStarted = true;
    call.state = 'started';
  } else if (event.type === 'toolCall.awaitingApproval') call.state = 'awaitingApproval';
  else if (event.type === 'toolCall.backgrounded') call.state = 'backgrounded';
}

function settle(call: Call, result: ToolResultBlock): void {
  const { status } = result;
  expect(result.callId === call.block.id, `a result for the call ${show(call.block.id)}`);
  expect(!(call.hasStarted && neverRan.has(status)), `no toolCall.started for a call that ends as ${status}`);
  expect(call.hasStarted || !mustHaveRun.has(status), `toolCall.started for a call that ends as ${status}`);
  call.state = 'settled';
  call.result = result;
}

/** Checks the message of `toolResults.settled`: every call settled, one result each, in call order. */
export function expectResults(calls: ToolCalls, message: Message): void {
  const asked = [...calls.byId].filter(([, call]) => !(calls.isRewritten && call.state === 'open'));
  for (const [id, call] of asked)
    expect(call.state === 'settled', `toolCall.settled of ${show(id)} before the results`);
  expect(message.role === 'tool', `a message of role tool, and not ${message.role}`);
  const got = message.content.map((block) =>
    block.type === 'toolResult' ? `${block.callId} ${block.status}` : block.type,
  );
  const wanted = asked.map(([id, call]) => `${id} ${call.result?.status}`);
  if (calls.isRewritten) {
    // The order of the rewritten calls is not in the log.
    got.sort();
    wanted.sort();
  }
  expect(
    JSON.stringify(got) === JSON.stringify(wanted),
    () => `one result per call, in call order and as settled: ${show(wanted)}, not ${show(got)}`,
  );
}
