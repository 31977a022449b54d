// Makes arguments from what a model sent: text that holds JSON is decoded, the rest is copied. Called by
// parse-arguments.

import { deepestJson, isTooDeep } from '../conversation/json-copy.ts';
import { jsonFault } from '../conversation/json-fault.ts';
import { describeValue } from './describe-value.ts';
import { isOrdinaryObject } from './plain-copy.ts';
import { isRecord, ownValue, type SchemaNode } from './schema-node.ts';
import { structuralIssues } from './structural-check.ts';

// Far more than any model sends. Without a limit, values that share parts could take forever.
const maxNodes = 5_000_000;

// Most texts that are decoded in one round.
const maxTexts = 5_000;

/** A new record of arguments, or what is wrong with what was sent. */
export type DecodedArguments =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly fault: string };

/**
 * Arguments as one record that shares nothing with what was sent. Nothing (undefined, null, white space) gives an empty
 * record. Text is decoded, if necessary twice: models also send JSON inside a JSON string.
 */
export function decodeArguments(sent: unknown): DecodedArguments {
  let value = sent;
  for (let round = 0; typeof value === 'string' && round < 2; round++) {
    const text: string = value;
    if (text.trim() === '') return { ok: true, args: {} };
    try {
      value = JSON.parse(text);
    } catch {
      if (round > 0) return notObject(text);
      return { ok: false, fault: `not valid JSON: ${jsonFault(text)?.text ?? 'it cannot be read'}` };
    }
  }
  if (value === undefined || value === null) return { ok: true, args: {} };
  if (value !== sent && isTooDeep(value)) return { ok: false, fault: `nested deeper than ${deepestJson} levels` };
  if (!isRecord(value)) return notObject(value);
  // A copy, so that neither a validator nor the tool can change the transcript through it.
  return { ok: true, args: value === sent ? copyFields(value, { left: maxNodes }) : value };
}

function notObject(value: unknown): DecodedArguments {
  return { ok: false, fault: `the arguments must be one JSON object, got ${describeValue(value)}` };
}

/**
 * The arguments, with texts decoded that hold the JSON of an object or array where the schema expects one and not a
 * text. The same object when there is no such text.
 */
export function decodeNested(args: unknown, schema: SchemaNode): unknown {
  const texts = structuralIssues(args, schema, maxTexts).flatMap(({ path }) => {
    const value = jsonStructure(path.reduce(ownValue, args));
    return value === undefined ? [] : [{ path, value }];
  });
  const decode = (places: typeof texts) => {
    const copies = new Set<unknown>();
    return places.reduce((whole, { path, value }) => withValueAt(whole, path, value, copies), args);
  };
  // If the decoded value itself does not fit, it stays a text. Faults inside it are handled in the next round.
  const wrong = new Set(structuralIssues(decode(texts), schema, maxTexts).map(({ path }) => String(path)));
  const fitting = texts.filter(({ path }) => !wrong.has(String(path)));
  return fitting.length === 0 ? args : decodeNested(decode(fitting), schema);
}

// The object or array that a text holds as JSON.
function jsonStructure(text: unknown): object | undefined {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return typeof value === 'object' && value !== null && !isTooDeep(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Copies everything on the path, but only once: what is in `copies` is changed in place.
function withValueAt(
  whole: unknown,
  [key, ...rest]: readonly PropertyKey[],
  value: unknown,
  copies: Set<unknown>,
): unknown {
  if (key === undefined) return value;
  const copy = copies.has(whole) ? whole : Array.isArray(whole) ? [...whole] : { ...(whole as object) };
  copies.add(copy);
  Reflect.set(copy as object, key, withValueAt(ownValue(whole, key), rest, value, copies)); // an own field already
  return copy;
}

// Arrays and plain records are copied at every depth; anything else is not JSON and stays as it is.
function copyValue(value: unknown, budget: { left: number }): unknown {
  if (--budget.left < 0) throw new Error(`more than ${maxNodes} values`);
  if (Array.isArray(value)) return value.map((item) => copyValue(item, budget));
  return isRecord(value) && isOrdinaryObject(value) ? copyFields(value, budget) : value;
}

function copyFields(record: Readonly<Record<string, unknown>>, budget: { left: number }): Record<string, unknown> {
  const copy = { ...record }; // also copies a field named __proto__ as a field
  for (const key of Object.keys(copy)) {
    const value = copy[key];
    if (typeof value === 'object') copy[key] = copyValue(value, budget);
  }
  return copy;
}
