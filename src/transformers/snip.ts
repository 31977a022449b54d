// Cuts a history that is too long and puts a marker where something went. Called by the transformers that keep to a
// budget.

import type { TransformerContext } from '../contracts/transformer.ts';
import type { Message } from '../conversation/message.ts';
import { planCut, type Cut, type CutMarks, type CutPlan } from './plan-cut.ts';
import { withoutStaleThoughts } from './thoughts.ts';
import { idOf } from './words.ts';

const markers = new WeakSet<Message>();

/** What is left of the messages; the same array when nothing goes. The cut is remembered in `memory`. */
export function snip(
  messages: readonly Message[],
  context: TransformerContext,
  marks: CutMarks,
  memory: { cut?: Cut | undefined },
): readonly Message[] {
  const plan = planCut(messages, context, marks, memory.cut);
  // What another transformer cut is not cut again: two markers would move each other.
  if (plan === undefined || messages.some((message) => markers.has(message))) return messages;
  memory.cut = plan.cut;
  return withMarker(messages, plan);
}

// The marker is put where the first message went.
function withMarker(messages: readonly Message[], { end, staying, quotes, staleBefore }: CutPlan): readonly Message[] {
  const left = withoutStaleThoughts(messages, (index) => index < staleBefore);
  const shown = left.filter(
    (_, index) => index >= end || staying.some((group) => group.start <= index && index < group.end),
  );
  const start = shown.findIndex((message, index) => message !== left[index]);
  const asked = quotes.length > 0 ? ` What the user asked in them: “${quotes.join('”, “')}”` : '';
  const text = `[${left.length - shown.length} earlier messages are left out here to save space.${asked}]`;
  const marker: Message = { id: `snip-${idOf(messages.at(start))}`, role: 'user', content: [{ type: 'text', text }] };
  markers.add(marker);
  return shown.toSpliced(start, 0, marker);
}
