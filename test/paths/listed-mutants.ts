// The mutants that no test finds, each with its reason. A mutant that is neither found nor listed fails
// `npm run paths -- --mutants`, and so does a listed one that is found or no longer exists.

const outside = 'the same chart: the source is not inside the target, so it is entered anew in any case';

/** By `chart: mutant`. */
export const listedMutants: Readonly<Record<string, string>> = {
  'turn: reviewing on done.review [2] if goesOn → streaming: do not reenter': outside,
  'turn: dispatching on done.dispatchTools [1] if goesOn → streaming: do not reenter': outside,
  'operative: idle on message.submit [1] → active: do not reenter': outside,
  'operative: active.preempting on xstate.done.actor.turn [1] → active: do not reenter': outside,
};
