// Arbitrary cuts of a stream, for tests of decoders, folds and readers, which must not depend on where chunks end.

import type { Arbitrary } from 'fast-check';
import { fc } from './fast-check.ts';

/** Options of `streamChunks`. */
export interface StreamChunksConstraints {
  /** Whether pieces may be empty. Default true: providers do send empty deltas. */
  readonly allowEmpty?: boolean;
  /** Most cuts, except in the case that cuts everywhere. Default 32. */
  readonly maxCuts?: number;
}

/**
 * The pieces of a text (cut between any two UTF-16 units, so also inside surrogate pairs) or of bytes, in order. Without a
 * source: of an arbitrary text. One case in eight cuts everywhere. Shrinks to one piece.
 */
export function streamChunks(source?: string, constraints?: StreamChunksConstraints): Arbitrary<readonly string[]>;
export function streamChunks(
  source: Uint8Array,
  constraints?: StreamChunksConstraints,
): Arbitrary<readonly Uint8Array[]>;
export function streamChunks(
  source?: string | Uint8Array,
  constraints: StreamChunksConstraints = {},
): Arbitrary<readonly (string | Uint8Array)[]> {
  if (source === undefined) {
    return fc.string({ unit: 'binary' }).chain((text) => streamChunks(text, constraints));
  }
  return cutsOf(source.length, constraints).map((cuts) => piecesOf(source, cuts));
}

function cutsOf(length: number, constraints: StreamChunksConstraints): Arbitrary<readonly number[]> {
  const { allowEmpty = true, maxCuts = 32 } = constraints;
  const least = allowEmpty ? 0 : 1;
  const most = allowEmpty ? length : length - 1;
  if (most < least) return fc.constant([]);
  const position = fc.integer({ min: least, max: most });
  const some = allowEmpty
    ? fc.array(position, { maxLength: maxCuts })
    : fc.uniqueArray(position, { maxLength: Math.min(maxCuts, length - 1) });
  const everywhere = Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: some.map((cuts) => cuts.toSorted((a, b) => a - b)), weight: 7 },
    { arbitrary: fc.constant(everywhere), weight: 1 },
  );
}

function piecesOf(source: string | Uint8Array, cuts: readonly number[]): readonly (string | Uint8Array)[] {
  const ends = [...cuts, source.length];
  return ends.map((end, index) => source.slice(cuts[index - 1] ?? 0, end));
}
