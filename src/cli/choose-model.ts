// Picks the model of the command. main.ts calls it and prints what was picked and why.

import type { Model } from '../index.ts';
import { demoModel } from './demo-model.ts';

/** A model and the reason for it. */
export interface ModelChoice {
  readonly model: Model;
  /** A clause to print behind the model's id. */
  readonly why: string;
}

/** Always the demo model for now: it needs no key and no network. */
export function chooseModel(options: { readonly seed: number; readonly paceMs: number }): ModelChoice {
  return { model: demoModel(options), why: 'it needs no key and no network' };
}
