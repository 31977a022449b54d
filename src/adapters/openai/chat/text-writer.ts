// Text of a Chat Completions answer → text blocks. Called by the delta writer.

import type { TextBlock } from '../../../conversation/block.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import { GrowingText } from '../../growing-text.ts';
import type { Output } from '../answer-decoder.ts';

/** Writes text into the open block, or opens one. */
export interface TextWriter {
  say(text: string, isRefusal: boolean): void;
  /** Citations of the open block, or of the next one. */
  cite(citations: readonly JsonValue[]): void;
  close(): void;
  /** Citations that belong to no block. */
  uncited(): readonly JsonValue[];
}

/** White space alone does not begin a block: it is held back until text follows. */
export function createTextWriter(output: Output): TextWriter {
  let index: number | undefined;
  let isRefusal = false;
  let held = new GrowingText();
  let text = new GrowingText();
  let citations: JsonValue[] = [];

  const close = (): void => {
    held = new GrowingText();
    if (index === undefined) return;
    const block: TextBlock = {
      type: 'text',
      text: text.whole,
      ...(isRefusal ? { refusal: true as const } : {}),
      ...(citations.length > 0 ? { citations } : {}),
    };
    const isPlain = !isRefusal && citations.length === 0;
    output.events.push(isPlain ? { type: 'text.end', index } : { type: 'text.end', index, block });
    index = undefined;
    text = new GrowingText();
    citations = [];
  };

  return {
    say(piece, pieceIsRefusal) {
      if (piece === '') return;
      if (pieceIsRefusal !== isRefusal) {
        close();
        isRefusal = pieceIsRefusal;
      }
      let said = piece;
      if (index === undefined) {
        if (piece.trim() === '') {
          held.add(piece);
          return;
        }
        said = held.whole + piece;
        held = new GrowingText();
        index = output.nextIndex++;
        if (isRefusal) output.refused = true;
        output.events.push({ type: 'text.start', index });
      }
      text.add(said);
      output.events.push({ type: 'text.delta', index, text: said });
    },
    cite(more) {
      citations.push(...more);
    },
    close,
    uncited: () => citations,
  };
}
