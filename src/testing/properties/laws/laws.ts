// Every law by its name.

import { blocksUnaltered } from './blocks-unaltered.ts';
import { boundariesStand } from './boundaries-stand.ts';
import { deterministic } from './deterministic.ts';
import { dropsDeclared } from './drops-declared.ts';
import { idempotent } from './idempotent.ts';
import { inputUntouched } from './input-untouched.ts';
import { lastUserMessage } from './last-user-message.ts';
import { nothingInvented } from './nothing-invented.ts';
import { orderKept } from './order-kept.ts';
import { pairsKept } from './pairs-kept.ts';
import { prefixStable } from './prefix-stable.ts';
import { systemUntouched } from './system-untouched.ts';
import { total } from './total.ts';
import { wellFormed } from './well-formed.ts';
import { withinBudget } from './within-budget.ts';

/** The laws of every transformer. `checkTransformer` checks them in this order and reports the first one that is broken. */
export const laws = {
  inputUntouched,
  total,
  pairsKept,
  orderKept,
  nothingInvented,
  blocksUnaltered,
  wellFormed,
  systemUntouched,
  lastUserMessage,
  dropsDeclared,
  boundariesStand,
  withinBudget,
  deterministic,
  idempotent,
  prefixStable,
} as const;
