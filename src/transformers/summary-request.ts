// What a model is asked in order to summarise the older part of a conversation. Called by autoCompact.

import type { ModelRequest } from '../contracts/model.ts';
import type { Block } from '../conversation/block.ts';
import { textOf, type Message } from '../conversation/message.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { isInvented } from './window.ts';

const prompt = `Summarise this conversation for the assistant that goes on with it and sees nothing but your summary of this part. Keep what the user wants and every instruction given, what was found, decided and done, names, paths, values and errors that matter, and what is left to do. Write the summary only.`;

const quoteMark = '\n\nThe last request, word for word:\n';

/** Of each block the summarising model reads at most so many bytes. */
const mostBlockBytes = 4096;

/** The conversation as one text, which any model takes: no calls to pair, no thinking to replay. */
export function summaryRequest(messages: readonly Message[], instructions: string | undefined): ModelRequest {
  const text = messages
    .map(
      ({ role, content }) =>
        `## ${role}\n${content.map((block) => boundedText(readable(block), mostBlockBytes)).join('\n')}`,
    )
    .join('\n\n');
  return {
    system: [{ type: 'text', text: instructions === undefined ? prompt : `${prompt}\n${instructions}` }],
    messages: [{ id: 'conversation', role: 'user', content: [{ type: 'text', text }] }],
    tools: [],
  };
}

/** The last thing the user asked for, word for word, to stand at the end of a summary; also when an earlier one quotes it. */
export function lastRequest(messages: readonly Message[], mostBytes: number): string {
  for (const message of messages.toReversed()) {
    const text = message.role === 'user' ? textOf(message) : '';
    const quoted = isInvented(message) ? text.lastIndexOf(quoteMark) : 0;
    if (text === '' || quoted < 0) continue;
    return quoteMark + boundedText(isInvented(message) ? text.slice(quoted + quoteMark.length) : text, mostBytes);
  }
  return '';
}

function readable(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'toolCall':
      return `[calls ${block.name} ${block.rawArgs ?? JSON.stringify(block.args)}]`;
    case 'toolResult':
      return `[${block.status}] ${block.content.map(readable).join('\n')}`;
    default:
      return `[${block.type}]`;
  }
}
