// What of a running conversation is worth storing at this instant: the transcript, the results of calls whose siblings
// still run, and messages that were accepted but are not in the transcript yet. Pure; session.ts writes it.

import { openCalls, type Conversation, type Message, type ToolResultBlock } from '../../index.ts';

/** What is known beside the transcript. */
export interface Unwritten {
  /** Results of calls of the last assistant message, in any order. */
  readonly results: readonly ToolResultBlock[];
  /** Accepted messages in order of acceptance. Those the transcript has by id are left out. */
  readonly accepted: readonly Message[];
}

/** A conversation that `repair` makes valid: calls that still run have no result in it. */
export function storedConversation(conversation: Conversation, { results, accepted }: Unwritten): Conversation {
  const open = new Set(openCalls(conversation).map(({ id }) => id));
  const finished = results.filter(({ callId }) => open.has(callId));
  const waiting = accepted.filter(({ id }) => !conversation.messages.some((message) => message.id === id));
  if (finished.length === 0 && waiting.length === 0) return conversation;
  const asking = conversation.messages.findLast(({ role }) => role === 'assistant');
  const answers: readonly Message[] =
    finished.length === 0 ? [] : [{ id: `${asking?.id ?? ''}_results`, role: 'tool', content: finished }];
  return { system: conversation.system, messages: [...conversation.messages, ...answers, ...waiting] };
}
