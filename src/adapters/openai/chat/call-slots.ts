// Tool calls of a Chat Completions stream → tool call blocks, also if a server sends no index, the same index for all
// calls, no ids, or whole objects. Called by the delta writer.

import type { ToolCallBlock } from '../../../conversation/block.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import { madeCallId, type Output } from '../answer-decoder.ts';
import { readArguments } from '../call-arguments.ts';
import { objectAt, textAt, without, type JsonObject } from '../json-fields.ts';
import { JsonExtent } from './json-extent.ts';

interface Slot {
  /** Its position in the message; -1 until it starts. */
  position: number;
  readonly isCustom: boolean;
  id: string | undefined;
  name: string;
  text: string;
  readonly extent: JsonExtent;
  /** Arguments that came as an object instead of text. */
  value: JsonValue | undefined;
  started: string | undefined;
  readonly waiting: string[];
  call: JsonObject;
  inner: JsonObject;
}

/** Collects the calls of one answer. */
export interface CallSlots {
  read(deltas: readonly JsonObject[]): void;
  /** Ends all calls, in order of appearance. */
  close(): void;
}

/** A call gets its position in the message once its name is known, at the latest with `close`. */
export function createCallSlots(output: Output): CallSlots {
  const slots: Slot[] = [];
  const byIndex = new Map<JsonValue, Slot>();
  const byId = new Map<string, Slot>();

  const add = (delta: JsonObject): Slot => {
    const slot: Slot = {
      position: -1,
      isCustom: delta['custom'] !== undefined || delta['type'] === 'custom',
      id: undefined,
      name: '',
      text: '',
      extent: new JsonExtent(),
      value: undefined,
      started: undefined,
      waiting: [],
      call: {},
      inner: {},
    };
    slots.push(slot);
    output.calls++;
    return slot;
  };

  /** The slot that a delta belongs to: by its id, else by its index, else the last one. A slot's id never changes. */
  const slotOf = (delta: JsonObject): Slot => {
    const id = nonEmpty(textAt(delta, 'id'));
    const index = delta['index'];
    const byItsIndex = index === undefined || index === null ? undefined : byIndex.get(index);
    const place = (): Slot => {
      if (id !== undefined) {
        const known = byId.get(id);
        if (known !== undefined) return known;
        const unnamed = byItsIndex?.id === undefined ? byItsIndex : undefined;
        return unnamed !== undefined && !isComplete(unnamed) ? unnamed : add(delta);
      }
      const candidate = index === undefined || index === null ? slots.at(-1) : byItsIndex;
      const name = nonEmpty(nameOf(delta));
      if (candidate === undefined) return add(delta);
      // Another name: another call, unless the server repeats the name with every piece of one call.
      if (name !== undefined && candidate.name !== '' && (name !== candidate.name || isComplete(candidate)))
        return add(delta);
      return candidate;
    };
    const slot = place();
    if (index !== undefined && index !== null) byIndex.set(index, slot);
    return slot;
  };

  const start = (slot: Slot, isLast: boolean): void => {
    if (slot.started !== undefined || (slot.name === '' && !isLast)) return;
    slot.position = output.nextIndex++;
    slot.started = slot.id ?? madeCallId(output, slot.position);
    output.events.push({ type: 'toolInput.start', index: slot.position, id: slot.started, name: slot.name });
    for (const json of slot.waiting.splice(0)) push(slot, json);
  };

  const push = (slot: Slot, json: string): void => {
    if (slot.started === undefined) slot.waiting.push(json);
    else output.events.push({ type: 'toolInput.delta', index: slot.position, json });
  };

  const append = (slot: Slot, sent: JsonValue | undefined): void => {
    if (typeof sent !== 'string') {
      if (sent === undefined || sent === null) return;
      slot.value = sent;
      push(slot, JSON.stringify(sent));
      return;
    }
    // The whole text so far instead of a piece: it was written already.
    if (sent === '' || (sent === slot.text && !slot.isCustom && isComplete(slot))) return;
    if (slot.isCustom) push(slot, (slot.text === '' ? '"' : '') + JSON.stringify(sent).slice(1, -1));
    else push(slot, sent);
    slot.text += sent;
    slot.extent.add(sent);
  };

  return {
    read(deltas) {
      for (const delta of deltas) {
        const slot = slotOf(delta);
        const inner = objectAt(delta, 'function') ?? objectAt(delta, 'custom') ?? {};
        slot.id ??= nonEmpty(textAt(delta, 'id'));
        if (slot.id !== undefined) byId.set(slot.id, slot);
        if (slot.name === '') slot.name = nameOf(delta) ?? '';
        slot.call = { ...slot.call, ...without(delta, 'id', 'index', 'type', 'function', 'custom') };
        slot.inner = { ...slot.inner, ...without(inner, 'name', 'arguments', 'input') };
        start(slot, false);
        append(slot, inner['arguments'] ?? inner['input']);
      }
    },
    close() {
      for (const slot of slots.splice(0)) {
        start(slot, true);
        if (slot.isCustom) push(slot, slot.text === '' ? '""' : '"');
        output.events.push({ type: 'toolInput.end', index: slot.position, call: blockOf(slot, output.provider) });
      }
      byIndex.clear();
      byId.clear();
    },
  };
}

function blockOf(slot: Slot, provider: string): ToolCallBlock {
  const named = { type: 'toolCall' as const, id: slot.started ?? '', name: slot.name };
  const { original, ...parsed } = slot.isCustom ? { args: slot.text } : readArguments(slot.value ?? slot.text);
  const data: JsonObject = {
    ...(slot.isCustom ? { type: 'custom' } : {}),
    ...(original === undefined ? {} : { arguments: original }),
    ...(Object.keys(slot.call).length > 0 ? { call: slot.call } : {}),
    ...(Object.keys(slot.inner).length > 0 ? { inner: slot.inner } : {}),
  };
  return { ...named, ...parsed, ...(Object.keys(data).length > 0 ? { provider, data } : {}) };
}

function nameOf(delta: JsonObject): string | undefined {
  return textAt(objectAt(delta, 'function') ?? objectAt(delta, 'custom'), 'name');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function isComplete(slot: Slot): boolean {
  if (slot.value !== undefined) return true;
  if (!slot.extent.isClosed) return false;
  try {
    JSON.parse(slot.text);
    return true;
  } catch {
    return false;
  }
}
