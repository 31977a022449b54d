// Calls that the client has to run → tool call blocks: functions, custom tools with free text, and the hosted kinds that
// run at the client. Called by open-item.ts.

import type { ToolCallBlock } from '../../../conversation/block.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import { GrowingText } from '../../growing-text.ts';
import { madeCallId, type Output } from '../answer-decoder.ts';
import { readArguments } from '../call-arguments.ts';
import { objectAt, textAt, without, type JsonObject } from '../json-fields.ts';
import type { ItemWriter } from './item-writer.ts';

/** Arguments that come as text in pieces, as a whole, or not at all (= `{}`). */
export function writeFunctionCall(first: JsonObject, output: Output): ItemWriter {
  const stream = openCall(first, output);
  const received = new GrowingText();
  return {
    read(event, type) {
      switch (type) {
        case 'response.function_call_arguments.delta': {
          const delta = textAt(event, 'delta') ?? '';
          received.add(delta);
          stream.append(delta);
          return true;
        }
        case 'response.function_call_arguments.done':
          if (received.isEmpty) {
            received.add(textAt(event, 'arguments') ?? '');
            stream.append(received.whole);
          }
          return true;
        default:
          return false;
      }
    },
    finish(final) {
      const item = final ?? first;
      const sent = item['arguments'];
      const whole = sent === undefined || sent === null || (sent === '' && !received.isEmpty) ? received.whole : sent;
      const { original, ...parsed } = readArguments(whole);
      if (received.isEmpty) stream.append(typeof whole === 'string' ? whole : JSON.stringify(whole));
      stream.end(item, {
        ...parsed,
        data: {
          ...without(item, 'type', 'call_id', 'name', 'arguments'),
          ...(original === undefined ? {} : { arguments: original }),
        },
      });
    },
  };
}

/** `args` is the free text. It is streamed in pieces of one JSON string, so that the joined deltas are valid JSON. */
export function writeCustomCall(first: JsonObject, output: Output): ItemWriter {
  const stream = openCall(first, output);
  const received = new GrowingText();
  const append = (text: string): void => {
    if (text === '') return;
    stream.append((received.isEmpty ? '"' : '') + JSON.stringify(text).slice(1, -1));
    received.add(text);
  };
  return {
    read(event, type) {
      switch (type) {
        case 'response.custom_tool_call_input.delta':
          append(textAt(event, 'delta') ?? '');
          return true;
        case 'response.custom_tool_call_input.done':
          if (received.isEmpty) append(textAt(event, 'input') ?? '');
          return true;
        default:
          return false;
      }
    },
    finish(final) {
      const item = final ?? first;
      const text = textAt(item, 'input') ?? received.whole;
      if (received.isEmpty) append(text);
      stream.append(received.isEmpty ? '""' : '"');
      stream.end(item, { args: text === '' ? received.whole : text, data: without(item, 'call_id', 'name', 'input') });
    },
  };
}

interface ClientCallKind {
  readonly tool: string;
  /** The fields that may say what to do; the first one present counts. */
  readonly asks: readonly string[];
}

const clientCallKinds: ReadonlyMap<string, ClientCallKind> = new Map([
  ['shell_call', { tool: 'shell', asks: ['action'] }],
  ['local_shell_call', { tool: 'local_shell', asks: ['action'] }],
  ['apply_patch_call', { tool: 'apply_patch', asks: ['operation'] }],
  ['computer_call', { tool: 'computer', asks: ['action', 'actions'] }],
  ['tool_search_call', { tool: 'tool_search', asks: ['arguments'] }],
]);

/** Whether the client has to run an item of a hosted kind: a shell without a container, a client-side tool search, … */
export function isForClient(item: JsonObject): boolean {
  const type = textAt(item, 'type') ?? '';
  if (type === 'tool_search_call') return item['execution'] === 'client';
  if (type !== 'shell_call') return clientCallKinds.has(type);
  const environment = textAt(objectAt(item, 'environment'), 'type');
  return environment === undefined || environment === 'local';
}

/** A call named by its kind: `shell`, `local_shell`, `apply_patch`, `computer`, `tool_search`. `args` = what to do. */
export function writeClientCall(first: JsonObject, output: Output): ItemWriter {
  return {
    read: () => false,
    finish(final) {
      const item = final ?? first;
      const kind = clientCallKinds.get(textAt(item, 'type') ?? '');
      const field = kind?.asks.find((key) => item[key] !== undefined) ?? 'action';
      const stream = openCall({ ...item, name: kind?.tool ?? '' }, output);
      const args: JsonValue = item[field] ?? {};
      stream.append(JSON.stringify(args));
      // Old local shell items have no call id: their own id answers them.
      stream.end(item, { args, data: { ...without(item, 'call_id', field), field } });
    },
  };
}

interface OpenCall {
  append(json: string): void;
  end(item: JsonObject, rest: Pick<ToolCallBlock, 'args' | 'rawArgs' | 'data'>): void;
}

/** Starts the call once its name is known, at the latest when it ends. */
function openCall(first: JsonObject, output: Output): OpenCall {
  const index = output.nextIndex++;
  output.calls++;
  let started: { readonly id: string; readonly name: string } | undefined;
  const waiting: string[] = [];

  const start = (item: JsonObject, isLast: boolean): void => {
    const name = textAt(item, 'name') ?? '';
    if (started !== undefined || (name === '' && !isLast)) return;
    const id = [textAt(item, 'call_id'), textAt(item, 'id')].find(
      (candidate) => candidate !== undefined && candidate !== '',
    );
    started = { id: id ?? madeCallId(output, index), name };
    output.events.push({ type: 'toolInput.start', index, ...started });
    for (const json of waiting.splice(0)) output.events.push({ type: 'toolInput.delta', index, json });
  };
  start(first, false);

  return {
    append(json) {
      if (json === '') return;
      if (started === undefined) waiting.push(json);
      else output.events.push({ type: 'toolInput.delta', index, json });
    },
    end(item, rest) {
      start(item, true);
      const named = started ?? { id: madeCallId(output, index), name: '' };
      const call: ToolCallBlock = { type: 'toolCall', ...named, ...rest, provider: output.provider };
      output.events.push({ type: 'toolInput.end', index, call });
    },
  };
}
