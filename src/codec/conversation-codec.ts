// Conversations to JSON text and back, with a format version. For storing and sending conversations.

import type { z } from 'zod';
import { messageOf, TurnchartError } from '../contracts/errors.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { jsonFault } from '../conversation/json-fault.ts';
import type { JsonValue } from '../conversation/json.ts';
import { conversationSchema } from './conversation-schema.ts';
import { describe, kindOf, writePath } from './json-path.ts';
import { snapshotJson } from './snapshot.ts';
import { writeJson } from './write-json.ts';

const format = 'turnchart.conversation';
const version = 1;

/**
 * The conversation as one line of JSON, `{ format: 'turnchart.conversation', version: 1, system, messages }`, from
 * which `decodeConversation` makes an equal one: every string (lone surrogates too), every finite number (-0 too), any
 * key (`__proto__` too), JSON up to 100,000 levels deep, and fields of messages and blocks that this version does not
 * know. Fields that are undefined count as not given. Throws `TurnchartError` 'conversation.invalid' with the path of
 * the first fault for what else JSON would lose or change (undefined in an array, NaN, Infinity, BigInt, instances of classes, holes, cycles), for a value that is not a
 * conversation, and for fields other than `system` and `messages`. Does not check whether calls have results.
 */
export function encodeConversation(conversation: Conversation): string {
  try {
    const { system, messages } = check(snapshot(conversation));
    // A Conversation is JSON; the blocks only lack the index signature that JsonValue has.
    return writeJson({ format, version, system, messages } as unknown as JsonValue);
  } catch (thrown) {
    throw invalid('encode', thrown);
  }
}

/**
 * The conversation that `encodeConversation` wrote, from its text or from the parsed text; shares nothing with the
 * argument. Fields of messages and blocks that this version does not know are kept and written again; types of blocks,
 * roles and statuses that it does not know are refused, and so are fields other than `system` and `messages`. Does not
 * repair: a call may lack its result, see `repair`. Throws nothing but `TurnchartError` 'conversation.invalid', with
 * the path of the first fault or, for text that is not JSON, its position.
 */
export function decodeConversation(json: string | JsonValue): Conversation {
  try {
    const envelope = snapshot(typeof json === 'string' ? parse(json) : json);
    const { format: gotFormat, version: gotVersion, ...fields } = envelope;
    if (gotFormat !== format) throw new Fault(['format'], `expected ${describe(format)}, got ${describe(gotFormat)}`);
    if (typeof gotVersion === 'number' && gotVersion > version) {
      const advice = `this one reads version ${version}: update turnchart to read it`;
      throw new Fault(['version'], `${gotVersion} was written by a newer turnchart, ${advice}`);
    }
    if (gotVersion !== version) throw new Fault(['version'], `expected ${version}, got ${describe(gotVersion)}`);
    return check(fields);
  } catch (thrown) {
    throw invalid('decode', thrown);
  }
}

type JsonObject = { readonly [key: string]: JsonValue };

/** The first fault and where it is; becomes the TurnchartError and never leaves this file. */
class Fault extends Error {
  constructor(path: readonly PropertyKey[], reason: string) {
    super(`${writePath(path)}: ${reason}`);
  }
}

function invalid(verb: 'encode' | 'decode', thrown: unknown): TurnchartError {
  const options = thrown instanceof Fault ? undefined : { cause: thrown };
  return new TurnchartError('conversation.invalid', `Cannot ${verb} the conversation: ${messageOf(thrown)}`, options);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const fault = jsonFault(text);
    if (fault === undefined) throw thrown;
    const lines = text.slice(0, fault.position).split('\n');
    const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
    throw new Fault([], `not JSON: ${fault.text} (${place})`);
  }
}

function snapshot(value: unknown): JsonObject {
  const copied = snapshotJson(value);
  if ('fault' in copied) throw new Fault(copied.path, copied.fault);
  if (!isJsonObject(copied.value)) throw new Fault([], `expected object, got ${kindOf(copied.value)}`);
  return copied.value;
}

/** The original fields as a conversation: zod only checks, because its result would lack unknown fields. */
function check(fields: JsonObject): Conversation {
  const issue = conversationSchema.safeParse(fields).error?.issues[0];
  if (issue) throw new Fault(issue.path, reasonOf(issue, valueAt(fields, issue.path)));
  const { system, messages, ...further } = fields;
  for (const key of Object.keys(further)) {
    throw new Fault(
      [key],
      'unknown field; a conversation has system and messages, other facts go to the meta of a message',
    );
  }
  // The schema has just checked it.
  return { system, messages } as unknown as Conversation;
}

function reasonOf(issue: z.core.$ZodIssue, got: unknown): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}, got ${kindOf(got)}`;
  if (issue.code === 'invalid_value') return `expected ${oneOf(issue.values)}, got ${describe(got)}`;
  if (issue.code === 'invalid_union' && 'options' in issue && issue.options) {
    return `expected ${oneOf(issue.options)}, got ${describe(got)}`;
  }
  return `${issue.message}, got ${kindOf(got)}`;
}

function oneOf(values: readonly unknown[]): string {
  return values.map(describe).join(' or ');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
