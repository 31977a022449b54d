// The turn chart with its real services: provided once for the whole module, since providing costs more than a turn.

import { turnMachine } from '../machines/turn.ts';
import { applyTransformers } from '../services/apply-transformers.ts';
import { delay } from '../services/delay.ts';
import { dispatchTools } from '../services/dispatch-tools.ts';
import { streamModel } from '../services/stream-model.ts';

/** The logic of every turn; a turn finds its engine through the scope in its input. */
export const turnLogic = turnMachine.provide({ actors: { applyTransformers, streamModel, delay, dispatchTools } });
