// The `finish_reason` of a Chat Completions answer → our stop reason. Called by the chat decoder.

import type { StopReason } from '../../../contracts/model.ts';

const known: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ['stop', 'endTurn'],
  ['eos', 'endTurn'],
  ['eos_token', 'endTurn'],
  ['end_turn', 'endTurn'],
  ['stop_sequence', 'stopSequence'],
  ['tool_calls', 'toolUse'],
  ['tool_use', 'toolUse'],
  ['function_call', 'toolUse'],
  ['length', 'maxTokens'],
  ['max_tokens', 'maxTokens'],
  ['content_filter', 'refusal'],
  ['safety', 'refusal'],
  ['sensitive', 'refusal'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'contextOverflow'],
]);

/**
 * The stop reason by the server's word, corrected by the content if the word is missing or wrong: `stop` although there
 * are calls, `tool_calls` although there are none.
 */
export function stopReasonOf(word: string, content: { readonly calls: number; readonly refused: boolean }): StopReason {
  const said = word === '' ? 'endTurn' : (known.get(word.toLowerCase()) ?? 'other');
  if (content.calls > 0) return said === 'endTurn' || said === 'other' ? 'toolUse' : said;
  if (content.refused && (said === 'endTurn' || said === 'toolUse')) return 'refusal';
  return said === 'toolUse' ? 'endTurn' : said;
}
