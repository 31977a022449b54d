// From a person's words to goals. Rules over words, nothing learned; plan.ts calls it.

import type { Goal } from './goal.ts';
import { goalRules } from './goal-rules.ts';

/** What one message asks for, and how it relates to what was asked before it. */
export interface Wish {
  readonly relation: 'new' | 'also' | 'instead';
  readonly goals: readonly [Goal, ...Goal[]];
}

const also = /^(?:also|and|plus|then|after that|in addition)\b[ ,:]*/i;

/** Reads one message. "… then …" and "…; …" are several goals, in order. Never fails: the last resort is `unknown`. */
export function wishOf(message: string): Wish {
  const words = message.replaceAll(/\s+/g, ' ').trim();
  const relation = /\binstead\b/i.test(words) ? 'instead' : also.test(words) ? 'also' : 'new';
  const rest = words
    .replace(/^(?:no|wait|ok(?:ay)?|actually|hm+)[ ,.!:]+/i, '')
    .replace(also, '')
    .replace(/\s*\binstead\b(?: of [^,.;]*)?[ ,:]*/i, ' ')
    .trim();
  const [first = rest, ...others] = rest.split(/\s*;\s*|,?\s+(?:and\s+)?then\s+/i).filter((clause) => clause !== '');
  return { relation, goals: [goalOf(first), ...others.map(goalOf)] };
}

function goalOf(clause: string): Goal {
  const words = clause
    .replace(/^(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there)?[ ,.!]+(?!there\b)(?=\S)/i, '')
    .replace(/^(?:(?:please|can you|could you|would you|will you|i want you to|i'd like you to|let's)[ ,]+)+/i, '')
    .trim();
  for (const rule of goalRules) {
    const goal = rule(words);
    if (goal !== undefined) return goal;
  }
  return { type: 'unknown', words };
}
