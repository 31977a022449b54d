// Reasoning of a Chat Completions answer, in whichever field a server puts it → thinking blocks. Called by the delta
// writer.

import type { ThinkingBlock } from '../../../conversation/block.ts';
import { GrowingText } from '../../growing-text.ts';
import type { Output } from '../answer-decoder.ts';
import { objectsAt, optional, textAt, type JsonObject } from '../json-fields.ts';
import { addDetail, detailText } from './reasoning-details.ts';

// Only the first non-empty one counts: some servers send the same text twice.
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

/** Writes reasoning into the open thinking block, or opens one. */
export interface ThinkingWriter {
  /** Writes the reasoning of a delta; false if it has none. */
  read(delta: JsonObject): boolean;
  /** A `thinking` part of a content list. */
  readPart(part: JsonObject): void;
  close(): void;
  isOpen(): boolean;
}

/** A block's `data`: `field` (where the text was and is sent back), `details`, `part` (other fields of content parts). */
export function createThinkingWriter(output: Output): ThinkingWriter {
  let index: number | undefined;
  let isOpen = false;
  let held = new GrowingText();
  let text = new GrowingText();
  let field: string | undefined;
  let details: JsonObject[] = [];
  let part: JsonObject = {};

  const start = (): number => {
    if (index === undefined) {
      index = output.nextIndex++;
      output.events.push({ type: 'thinking.start', index });
    }
    return index;
  };

  const think = (piece: string): void => {
    isOpen = true;
    if (index === undefined && piece.trim() === '' && details.length === 0) {
      held.add(piece);
      return;
    }
    let said = piece;
    if (!held.isEmpty) {
      said = held.whole + piece;
      held = new GrowingText();
    }
    if (said === '') return;
    const at = start();
    text.add(said);
    output.events.push({ type: 'thinking.delta', index: at, text: said });
  };

  return {
    read(delta) {
      const pieces = objectsAt(delta, 'reasoning_details');
      const named = reasoningFields.find((name) => (textAt(delta, name) ?? '') !== '');
      if (pieces.length === 0 && named === undefined) return false;
      for (const piece of pieces) addDetail(details, piece);
      if (named !== undefined) {
        field ??= named;
        think(textAt(delta, named) ?? '');
      } else think(pieces.map(detailText).join(''));
      return true;
    },
    readPart(sent) {
      field ??= 'content';
      const { type: _type, thinking, ...rest } = sent;
      part = { ...part, ...rest };
      think(typeof thinking === 'string' ? thinking : objectsAt(sent, 'thinking').map(detailText).join(''));
    },
    isOpen: () => isOpen,
    close() {
      if (!isOpen) return;
      if (index !== undefined || details.length > 0) {
        const at = start();
        const signature = details
          .map((detail) => textAt(detail, 'signature'))
          .find((value) => value !== undefined && value !== '');
        const encrypted = details.map((detail) => textAt(detail, 'data')).find((value) => value !== undefined);
        const block: ThinkingBlock = {
          type: 'thinking',
          text: text.whole,
          provider: output.provider,
          ...optional('signature', signature ?? textAt(part, 'signature')),
          ...optional('encrypted', encrypted),
          data: {
            ...optional('field', field),
            ...(details.length > 0 ? { details } : {}),
            ...(Object.keys(part).length > 0 ? { part } : {}),
          },
        };
        output.events.push({ type: 'thinking.end', index: at, block });
      }
      isOpen = false;
      index = undefined;
      held = new GrowingText();
      text = new GrowingText();
      field = undefined;
      details = [];
      part = {};
    },
  };
}
