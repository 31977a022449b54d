// The turn chart with its real services: provided once for the whole module, since providing costs more than a turn.

import { chartLogic } from '../machines/chart-logic.ts';
import { turnMachine, type TurnMachineEvent, type TurnMachineInput, type TurnOutput } from '../machines/turn.ts';
import { applyTransformers } from '../services/apply-transformers.ts';
import { delay } from '../services/delay.ts';
import { dispatchTools } from '../services/dispatch-tools.ts';
import { streamModel } from '../services/stream-model.ts';

/** What an inspector watches. A turn finds its engine through the scope in its input. */
export const turnLogic = turnMachine.provide({ actors: { applyTransformers, streamModel, delay, dispatchTools } });

/** The same chart run by its table, for turns nobody inspects. */
export const turnTable = chartLogic<TurnMachineEvent, TurnMachineInput, TurnOutput>(turnLogic);
