// What a person sees of each event, as text. Pure except that it remembers an unfinished line.

import {
  textOf,
  type JsonValue,
  type Message,
  type OperativeEvent,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../index.ts';
import { seconds, tokens } from './progress.ts';
import { plainLine, plainText } from './terminal/plain-text.ts';
import { fitted } from './terminal/width.ts';

/** How to render. */
export interface RenderOptions {
  readonly color: boolean;
  /** Tool lines are cut to this width. Called at each use. Infinity without a terminal. */
  readonly columns: () => number;
}

/** Returns the text to print for an event, often ''. */
export type Render = (event: OperativeEvent, elapsedMs: number) => string;

/** A renderer for one turn. */
export function createRender({ color, columns }: RenderOptions): Render {
  const paint = (code: number, end: number) => (text: string) =>
    color && text !== '' ? `\u001B[${code}m${text}\u001B[${end}m` : text;
  const dim = paint(2, 22);
  const red = paint(31, 39);
  const green = paint(32, 39);
  const diffLine = (text: string): string =>
    text.startsWith('+') ? green(text) : text.startsWith('-') ? red(text) : text.startsWith('@@') ? dim(text) : text;
  let unfinished = false;
  let half = ''; // the first half of a surrogate pair whose second half comes with the next piece

  const line = (text: string): string => {
    const before = unfinished ? '\n' : '';
    unfinished = false;
    return `${before}${text}\n`;
  };
  const piece = (text: string, painted: (text: string) => string): string => {
    const whole = half + text;
    half = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
    const plain = plainText(half === '' ? whole : whole.slice(0, -1));
    if (plain !== '') unfinished = !plain.endsWith('\n');
    // Colours end before the line does, so that nothing printed between two pieces is coloured.
    return plain.split('\n').map(painted).join('\n');
  };
  const endOfBlock = (): string => {
    half = '';
    const end = unfinished ? '\n' : '';
    unfinished = false;
    return end;
  };
  const wide = (text: string): string => fitted(text, columns() - 1);

  return (event, elapsedMs) => {
    switch (event.type) {
      case 'thinking.start':
        return endOfBlock() + piece('· ', dim);
      case 'thinking.delta':
        return piece(event.text, dim);
      case 'text.start':
        return endOfBlock();
      case 'text.delta':
        return piece(event.text, String);
      case 'text.end':
      case 'thinking.end':
        return endOfBlock();
      case 'block':
        return event.block.type === 'text' ? line(plainText(event.block.text)) : line(dim(`(${event.block.type})`));
      case 'stream.reset':
        return line(dim('(the answer above was cut off and does not count)'));
      case 'stream.retrying':
        return line(
          dim(wide(`↻ retry ${event.attempt} in ${seconds(event.delayMs)}: ${plainLine(event.error.message)}`)),
        );
      case 'message.injected':
        return line(dim(wide(`↪ ${plainLine(ownWords(event.message))}`)));
      case 'message.queued':
        return line(dim(wide(`⏎ queued for the next turn: ${plainLine(ownWords(event.message))}`)));
      case 'toolCall.awaitingApproval':
        return line(wide(`? ${callText(event.call)} needs approval`)) + previewText(event.preview, line, diffLine);
      case 'toolCall.backgrounded':
        return line(wide(`⇢ ${callText(event.call)} continues in the background as ${event.taskId}`));
      case 'toolCall.settled': {
        const done = event.result.status === 'completed';
        const text = fitted(
          `${callText(event.call)} → ${resultText(event.result)} (${Math.round(event.durationMs)} ms)`,
          columns() - 3,
        );
        return line(`${done ? green('✓') : red('✗')} ${dim(text)}`);
      }
      case 'transformer.applied': {
        const { name, messagesBefore, messagesAfter } = event;
        return messagesBefore === messagesAfter
          ? ''
          : line(dim(wide(`∙ ${plainLine(name)}: ${messagesBefore} → ${messagesAfter} messages`)));
      }
      case 'transformer.failed':
        return line(
          red(
            wide(`! transformer ${plainLine(event.name)} (${event.stage}) failed: ${plainLine(event.error.message)}`),
          ),
        );
      case 'turn.completed': {
        const facts = `${event.iterations} model ${event.iterations === 1 ? 'call' : 'calls'} · ${tokens(event.usage)} · ${seconds(elapsedMs)}`;
        const done = event.reason === 'completed';
        const failure = event.error === undefined ? '' : line(red(`! ${plainLine(event.error.message)}`));
        return failure + line(`${done ? green('✓') : red('✗')} ${dim(`${event.reason} · ${facts}`)}`);
      }
      default: // shown by another event, or by the status line
        return '';
    }
  };
}

// Uncut, because a person decides by it.
function previewText(
  preview: JsonValue | undefined,
  line: (text: string) => string,
  diffLine: (text: string) => string,
): string {
  if (typeof preview !== 'object' || preview === null || Array.isArray(preview)) return '';
  const shown = Object.entries(preview).find(([name]) => name === 'command' || name === 'diff');
  if (shown === undefined || typeof shown[1] !== 'string') return '';
  const lines = plainText(shown[1]).split('\n');
  return line(lines.map((one) => `  ${shown[0] === 'diff' ? diffLine(one) : one}`).join('\n'));
}

/** `read_file(file_path: "src/a.ts")`, on one line, with long values and long lists of them cut. */
export function callText(call: ToolCallBlock): string {
  return `${plainLine(call.name)}(${fitted(argumentsText(call), 80)})`;
}

/** A result in a few words: its only line, or its number of lines; what went wrong if it did not complete. */
export function resultText(result: ToolResultBlock): string {
  const text = result.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const first = fitted(plainLine(lines[0] ?? '(nothing)'), 100);
  if (result.status !== 'completed') return `${result.status}: ${first}`;
  return lines.length > 1 ? `${lines.length.toLocaleString('en-US')} lines` : first;
}

// Without the frame of a steered message: extra blocks in front, counted in `meta.frame`.
function ownWords(message: Message): string {
  const frame = message.meta?.['frame'];
  return textOf(typeof frame === 'number' ? { ...message, content: message.content.slice(frame) } : message);
}

function argumentsText({ args, rawArgs }: ToolCallBlock): string {
  if (args === undefined) return plainLine(rawArgs ?? '');
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return valueText(args);
  return Object.entries(args)
    .map(([key, value]) => `${plainLine(key)}: ${valueText(value)}`)
    .join(', ');
}

function valueText(value: JsonValue): string {
  return fitted(plainLine(JSON.stringify(value)), 48);
}
