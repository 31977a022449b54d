// The status line: elapsed time, tokens and the current activity. Pure; drawn by report.ts and the chat.

import type { OperativeEvent, Usage } from '../index.ts';

/** A turn's progress, derived from its events. */
export interface Progress {
  readonly activity: string;
  readonly running: readonly { readonly id: string; readonly name: string }[];
  /** Of the model calls before the current one. */
  readonly settled: Tokens;
  readonly present: Tokens;
}

interface Tokens {
  readonly input: number;
  readonly output: number;
}

const none: Tokens = { input: 0, output: 0 };

/** Before the first event. */
export const noProgress: Progress = { activity: 'starting', running: [], settled: none, present: none };

/** The progress after one more event. */
export function progressAfter(progress: Progress, event: OperativeEvent): Progress {
  switch (event.type) {
    case 'turn.started':
      return { ...progress, activity: 'waiting for the model' };
    case 'message.start':
      return {
        ...progress,
        activity: 'waiting for the model',
        settled: sum(progress.settled, progress.present),
        present: none,
      };
    case 'thinking.start':
      return { ...progress, activity: 'thinking' };
    case 'text.start':
      return { ...progress, activity: 'answering' };
    case 'toolInput.start':
      return { ...progress, activity: `preparing ${event.name}` };
    case 'usage':
      return { ...progress, present: tokensOf(event.usage) };
    case 'stream.retrying':
      return { ...progress, activity: `retrying in ${seconds(event.delayMs)}` };
    case 'toolCall.awaitingApproval':
      return { ...progress, activity: `waiting for approval of ${event.call.name}` };
    case 'toolCall.started':
      return { ...progress, running: [...progress.running, { id: event.call.id, name: event.call.name }] };
    case 'toolCall.settled':
      return { ...progress, running: progress.running.filter(({ id }) => id !== event.call.id) };
    case 'toolResults.settled':
      return { ...progress, activity: 'waiting for the model', running: [] };
    default:
      return progress;
  }
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** The status line after `elapsedMs`. */
export function statusLine(progress: Progress, elapsedMs: number): string {
  const { input, output } = sum(progress.settled, progress.present);
  const names = progress.running.map(({ name }) => name);
  const activity = names.length > 0 ? `running ${names.join(', ')}` : progress.activity;
  return workLine(`${tokens({ inputTokens: input, outputTokens: output })} · ${activity}`, elapsedMs);
}

/** The status line for other long work: `⠙ 0.4 s · compacting`. */
export function workLine(activity: string, elapsedMs: number): string {
  const turn = spinner[Math.floor(elapsedMs / 100) % spinner.length] ?? '';
  return `${turn} ${seconds(elapsedMs)} · ${activity}`;
}

/** `1,204 in, 88 out tokens`. */
export function tokens({ inputTokens, outputTokens }: Usage): string {
  return `${inputTokens.toLocaleString('en-US')} in, ${outputTokens.toLocaleString('en-US')} out tokens`;
}

/** `0.4 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function tokensOf({ inputTokens, outputTokens }: Usage): Tokens {
  return { input: inputTokens, output: outputTokens };
}

function sum(left: Tokens, right: Tokens): Tokens {
  return { input: left.input + right.input, output: left.output + right.output };
}
