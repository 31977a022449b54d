// What to store of a running conversation: the transcript, the results of calls whose siblings still run, and messages
// that were accepted but are not in the transcript yet. Pure; called by session.ts.

import { openCalls, type Conversation, type Message, type ToolResultBlock } from '../../index.ts';

/** What is not in the transcript yet. */
export interface Unwritten {
  /** Results of calls of the last assistant message, in any order. */
  readonly results: readonly ToolResultBlock[];
  /** Accepted messages, in order. Those whose id is in the transcript are ignored. */
  readonly accepted: readonly Message[];
}

/** The conversation to store. Running calls have no results in it, which `repair` adds. */
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
