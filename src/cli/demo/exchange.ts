// The part of a transcript that is about the current request: messages and tool results since the last finished answer.
// Called by plan.ts.

import { textOf, type Message, type ToolCallBlock } from '../../index.ts';
import type { Evidence } from './script.ts';

/** One message of the user. */
export interface Request {
  readonly words: string;
  /** It came during the work on an earlier one. */
  readonly steered: boolean;
  /** The answer to an earlier one was cut off before it came. */
  readonly afterCut?: true;
}

/** What the current answer is based on. */
export interface Exchange {
  readonly requests: readonly Request[];
  readonly evidence: readonly Evidence[];
  /** Nothing has answered the last request yet. */
  readonly fresh: boolean;
}

/** Reads back to the last whole assistant message without calls. Frames of steered messages and compaction marks are left out. */
export function exchangeOf(messages: readonly Message[]): Exchange {
  const finished = messages.findLastIndex(
    (message) => message.role === 'assistant' && !isCut(message) && callsOf(message).length === 0,
  );
  const requests: Request[] = [];
  const evidence: Evidence[] = [];
  let open: ReadonlyMap<string, ToolCallBlock> = new Map();
  let fresh = false;
  let wasCut = false;
  for (const message of messages.slice(finished + 1)) {
    if (message.role === 'assistant') {
      open = new Map(callsOf(message).map((call) => [call.id, call]));
      fresh = false;
      wasCut ||= isCut(message);
    } else if (message.role === 'tool') {
      evidence.push(...evidenceIn(message, open));
    } else {
      const words = wordsOf(message);
      if (words === '') continue;
      const steered = requests.length > 0 && (open.size > 0 || evidence.length > 0);
      requests.push({ words, steered, ...(wasCut ? { afterCut: true } : {}) });
      fresh = true;
    }
  }
  return { requests, evidence, fresh };
}

// Cancelled in the middle: its text is kept, but answers nothing.
function isCut({ meta }: Message): boolean {
  return meta?.['cut'] !== undefined;
}

function callsOf(message: Message): readonly ToolCallBlock[] {
  return message.content.filter((block) => block.type === 'toolCall');
}

function evidenceIn(message: Message, open: ReadonlyMap<string, ToolCallBlock>): readonly Evidence[] {
  return message.content.flatMap((block) => {
    const call = block.type === 'toolResult' ? open.get(block.callId) : undefined;
    if (block.type !== 'toolResult' || call === undefined) return [];
    const text = block.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
    return [{ call, outcome: { status: block.status, text } }];
  });
}

// Frames are extra text blocks in front, counted in `meta.frame`; without the count, one text in parentheses.
function wordsOf(message: Message): string {
  const frames = message.meta?.['frame'];
  const counted = typeof frames === 'number' ? frames : 0;
  const content = message.content.slice(counted);
  const [first] = content;
  const framed =
    counted === 0 && content.length > 1 && first?.type === 'text' && /^\s*\(Sent while .*\)\s*$/s.test(first.text);
  return textOf({ ...message, content: framed ? content.slice(1) : content }).trim();
}
