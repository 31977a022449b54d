// The operative chart with its real turn and services, provided once for the whole module.

import { operativeMachine } from '../machines/operative.ts';
import { reload } from '../services/reload.ts';
import { turnLogic } from './turn-logic.ts';

/** The logic of every operative; it finds its conversation through the scope in its input. */
export const operativeLogic = operativeMachine.provide({ actors: { turn: turnLogic, reload } });
