// One writer per conversation: whoever runs a turn on it holds the claim. Taking it also ensures a valid transcript.

import { TurnchartError } from '../contracts/errors.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { pairingFault } from '../conversation/pairing.ts';
import { repair } from '../conversation/repair.ts';
import { forgetTally } from '../conversation/tally.ts';
import { putContents } from '../services/transcript.ts';

const claimed = new WeakSet<Conversation>();

// The messages of a conversation that were checked: while they are still there, only later ones are checked. An empty
// list: it was checked once, and is read again.
const checked = new WeakMap<Conversation, Message[]>();

/**
 * Takes the claim and returns what had to be repaired in the transcript. Throws `conversation.busy` if someone else
 * holds it and `conversation.invalid` if it is not a conversation.
 */
export function claimConversation(conversation: Conversation): readonly string[] {
  const isConversation = typeof conversation === 'object' && conversation !== null;
  if (!isConversation || !Array.isArray(conversation.messages) || !Array.isArray(conversation.system)) {
    throw new TurnchartError(
      'conversation.invalid',
      'Expected a conversation with "system" and "messages" arrays. Make one with createConversation().',
    );
  }
  if (Object.isFrozen(conversation) || !Object.isExtensible(conversation.messages)) {
    throw new TurnchartError(
      'conversation.invalid',
      'The conversation is frozen, so nothing can be appended to it. Some stores freeze what they are given: copy it with createConversation(conversation).',
    );
  }
  if (claimed.has(conversation)) {
    throw new TurnchartError(
      'conversation.busy',
      'This conversation is in use by a turn or an operative. Wait for its end, steer it, or use another conversation.',
    );
  }
  const repaired = makeValid(conversation);
  claimed.add(conversation);
  return repaired;
}

/** Gives the claim back, once the turn or the operative has ended. Messages that are gone are not kept in memory. */
export function releaseConversation(conversation: Conversation): void {
  claimed.delete(conversation);
  letGo(conversation, hasEndsOf);
}

/** Forgets the checked messages unless they `stand` in the transcript. */
export function letGo(conversation: Conversation, stand = beginsWith): void {
  const known = checked.get(conversation);
  if (known === undefined || stand(conversation.messages, known)) return;
  known.length = 0;
  forgetTally(conversation.messages);
}

/** Notes that the transcript is valid as it is. Not for the end of a turn: the host may have changed it meanwhile. */
export function noteValid(conversation: Conversation): void {
  checked.set(conversation, [...conversation.messages]);
}

/**
 * Repairs a stored or hand-made transcript and returns what was changed. Reads only what came after the checked
 * messages, the last turn included; the whole transcript the first time, and if checked messages were removed, replaced
 * or moved apart. If nothing else is wrong, an empty answer at the end is dropped only the first time: later it is the
 * answer of a turn. A message that was changed in place is not noticed. Throws `conversation.invalid` if it is not a transcript at all.
 */
export function makeValid(conversation: Conversation): readonly string[] {
  letGo(conversation);
  const { messages } = conversation;
  const known = checked.get(conversation);
  if (known !== undefined && tailFault(messages, known.length) === undefined) {
    for (const message of messages.slice(known.length)) known.push(message);
    return [];
  }
  if (known === undefined) forgetTally(messages);
  const repaired = repairWhole(conversation);
  noteValid(conversation);
  return repaired;
}

function repairWhole(conversation: Conversation): readonly string[] {
  const { conversation: valid, repaired } = repair(conversation);
  const fault = pairingFault(valid.messages);
  if (fault !== undefined) {
    throw new TurnchartError('conversation.invalid', `The conversation cannot be used: ${fault}.`);
  }
  if (valid !== conversation) putContents(conversation, valid);
  return repaired;
}

/** Compares references only, without reading messages. */
export function beginsWith(messages: readonly Message[], known: readonly Message[]): boolean {
  if (!hasEndsOf(messages, known)) return false;
  for (let index = 0; index < known.length; index++) if (messages[index] !== known[index]) return false;
  return true;
}

/** As far as can be seen without a walk: the first and the last of the known messages stand in their places. */
export function hasEndsOf(messages: readonly Message[], known: readonly Message[]): boolean {
  const last = known.length - 1;
  // By hand `messages` may have been set to anything.
  return last < 0 || (messages?.[0] === known[0] && messages[last] === known[last]);
}

// Reads on from the last checked message that is not a tool message.
function tailFault(messages: readonly Message[], known: number): string | undefined {
  let start = known;
  do start--;
  while (start > 0 && messages[start]?.role === 'tool');
  return pairingFault(messages.slice(Math.max(0, start)));
}
