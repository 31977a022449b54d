// Turns of phrase the scripts share: numbers, lists, code spans, and what went wrong in a tool.

import type { Skill } from './capabilities.ts';
import type { ToolOutcome } from './script.ts';

/** `1,234 files`, `1 file`. The plural adds an s unless it is given. */
export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? singular : plural}`;
}

/** `a, b and c`. */
export function joined(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** A code span. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** The text, cut to `limit` characters with an ellipsis if it is longer. */
export function clipped(text: string, limit: number): string {
  const characters = Array.from(text);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text;
}

/** Lines in a fence, at most `limit` of them, each at most 200 characters. */
export function fenced(lines: readonly string[], limit: number): string {
  return ['```', ...lines.slice(0, limit).map((line) => clipped(line, 200)), '```'].join('\n');
}

const reasons: { readonly [status in Exclude<ToolOutcome['status'], 'completed'>]: string } = {
  failed: 'failed',
  invalidArguments: 'did not accept my arguments',
  unknownTool: 'is not known here',
  truncated: 'was not run, because the call was cut off',
  denied: 'was not allowed',
  timedOut: 'took too long',
  interrupted: 'was interrupted and may have had effects',
  notStarted: 'was not started',
};

/** Says in one sentence what went wrong in a call that did not complete. */
export function failure(doing: string, skill: Skill, outcome: ToolOutcome): string {
  const reason = outcome.status === 'completed' ? 'gave no usable answer' : reasons[outcome.status];
  const detail = outcome.text
    .split(/\r?\n/)
    .find((line) => line.trim() !== '')
    ?.trim();
  return `I could not ${doing}: the tool ${skill.tool} ${reason}${detail === undefined ? '.' : ` (${detail.replace(/[.\s]+$/, '')}).`}`;
}

/** Says that no tool can do it. */
export function lacking(doing: string): string {
  return `I could not ${doing}: none of the tools I was given can do that.`;
}
