// What models, tools and transformers of the property tests may do, as fast-check arbitraries.

import fc from 'fast-check';
import type { ModelMove } from './reference-model-end.ts';
import type { Answer, StageMode, TurnSetup } from './world-terms.ts';

const callNames = fc.constantFrom('quick', 'broken', 'slow', 'alone', 'ghost', 'bad');

const answers: fc.Arbitrary<Answer> = fc
  .record({
    text: fc.boolean(),
    calls: fc.oneof(fc.constant([]), fc.array(callNames, { minLength: 1, maxLength: 3 })),
    stop: fc.oneof(
      { arbitrary: fc.constant('natural' as const), weight: 8 },
      { arbitrary: fc.constantFrom('maxTokens' as const, 'pause' as const, 'refusal' as const), weight: 2 },
    ),
  })
  .map((answer) => ({ ...answer, text: answer.text || answer.calls.length === 0 }));

/** What the outside world does next. */
export const arbitraryMoves: fc.Arbitrary<ModelMove> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('answer' as const), answer: answers }), weight: 7 },
  { arbitrary: fc.constant({ do: 'say' as const }), weight: 1 },
  {
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      said: fc.boolean(),
      failure: fc.constantFrom('lost', 'lost', 'lost', 'rejected', 'overflow', 'foreign', 'cut'),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      gate: fc.constantFrom('tool', 'tool', 'transformer', 'approval'),
      index: fc.nat(2),
      how: fc.constantFrom('ok', 'ok', 'other', 'throws'),
    }),
    weight: 4,
  },
);

const modes: fc.Arbitrary<readonly StageMode[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 7 },
  {
    arbitrary: fc.array(fc.constantFrom<StageMode>('ok', 'rewrites', 'throws', 'gated', 'gated'), {
      minLength: 1,
      maxLength: 2,
    }),
    weight: 1,
  },
);

/** Engines that differ in limits, transformers and approvals. */
export const arbitrarySetups: fc.Arbitrary<TurnSetup> = fc.record({
  maxIterations: fc.constantFrom(1, 2, 3, 10, 10),
  retries: fc.constantFrom(0, 1, 2),
  stages: fc.record({ beforeTurn: modes, beforeIteration: modes, afterIteration: modes, afterTurn: modes }),
  approve: fc.constantFrom('none', 'none', 'none', 'none', 'allows', 'denies', 'throws', 'gated'),
  compactor: fc.constantFrom('none', 'gains', 'idle', 'throws', 'gated', 'gated', 'gated', 'gated'),
});

/** Lets this many microtasks run. */
export async function waitTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}

/** A command in a few words, for counterexamples. */
export function shown(command: { readonly do: string }): string {
  const { do: verb, ...rest } = command;
  const given = Object.values(rest).filter((value) => value !== undefined);
  return [verb, ...given.map((value) => (typeof value === 'object' ? shortly(value as object) : String(value)))].join(
    ' ',
  );
}

function shortly(value: object): string {
  return Object.entries(value)
    .flatMap(([key, member]) => {
      if (member === true) return [key];
      if (member === false || (Array.isArray(member) && member.length === 0)) return [];
      return [Array.isArray(member) ? `[${member.join(' ')}]` : String(member)];
    })
    .join(' ');
}
