// Reads errors of SDKs and of fetch by their shape, without knowing the classes. Called by the error mapping.

import { messageOf } from '../contracts/errors.ts';

/** An error's name and the class names up its prototype chain (openai leaves `name` at "Error"). */
export function namesOf(thrown: unknown): readonly string[] {
  const names: string[] = [];
  const own = textAt(thrown, 'name');
  if (own !== undefined) names.push(own);
  let prototype: unknown = typeof thrown === 'object' && thrown !== null ? Object.getPrototypeOf(thrown) : null;
  for (let depth = 0; typeof prototype === 'object' && prototype !== null && depth < 8; depth++) {
    const name = textAt(valueAt(prototype, 'constructor'), 'name');
    if (name !== undefined) names.push(name.replace(/^_/, ''));
    prototype = Object.getPrototypeOf(prototype);
  }
  return names;
}

/** The error and its causes, outermost first. */
export function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let cause = thrown; cause !== undefined && cause !== null && chain.length < 6; cause = valueAt(cause, 'cause')) {
    chain.push(cause);
  }
  return chain;
}

/** The message and system code of the innermost cause, which says what really happened. */
export function deepestMessage(thrown: unknown): string {
  const chain = causes(thrown);
  const deepest = chain.at(-1);
  const code = textAt(deepest, 'code');
  const message = messageOf(deepest);
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

/** The codes an SDK error carries, most specific first, including those in its body. */
export function codesOf(thrown: unknown): readonly unknown[] {
  const body = valueAt(thrown, 'error');
  const inner = valueAt(body, 'error');
  const found = [
    valueAt(thrown, 'errorCode'),
    valueAt(thrown, 'code'),
    valueAt(inner, 'code'),
    valueAt(body, 'code'),
    valueAt(thrown, 'type'),
    valueAt(inner, 'type'),
    textAt(body, 'type') === 'error' ? undefined : valueAt(body, 'type'),
  ];
  return found.filter((code) => (typeof code === 'string' && code !== '') || typeof code === 'number');
}

/** The server's message: the one inside the body, else the body itself, else the SDK's message. */
export function apiMessageOf(thrown: unknown): string {
  const body = valueAt(thrown, 'error');
  const inner = valueAt(body, 'error');
  for (const value of [valueAt(inner, 'message'), valueAt(body, 'message'), inner, valueAt(body, 'detail'), body]) {
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'object' && value !== null) return written(value);
  }
  const status = numberAt(thrown, 'status');
  const message = messageOf(thrown);
  if (status === undefined || !message.startsWith(`${status} `)) return message;
  return message.slice(String(status).length + 1).replace(/^status code \(no body\)$/, '');
}

// Servers also send lists of faults and the like in place of a message.
function written(value: object): string {
  try {
    const text = JSON.stringify(value);
    return text === '{}' || text === '[]' ? '' : text;
  } catch {
    return messageOf(value); // not a parsed body: a custom client threw it
  }
}

/** A header of a `Headers` or of a plain object. */
export function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if ('get' in headers && typeof headers.get === 'function') {
    const value: unknown = headers.get(name);
    return typeof value === 'string' ? value : undefined;
  }
  return textAt(headers, name);
}

/** A property of any value; undefined if it has none. Never throws. */
export function valueAt(holder: unknown, key: string): unknown {
  if ((typeof holder !== 'object' && typeof holder !== 'function') || holder === null) return undefined;
  try {
    return Reflect.get(holder, key);
  } catch {
    return undefined; // a hostile getter is not our error
  }
}

/** A property that is a string. */
export function textAt(holder: unknown, key: string): string | undefined {
  const value = valueAt(holder, key);
  return typeof value === 'string' ? value : undefined;
}

/** A property that is a number. */
export function numberAt(holder: unknown, key: string): number | undefined {
  const value = valueAt(holder, key);
  return typeof value === 'number' ? value : undefined;
}

/** How long the server asked to wait, from `retry-after-ms` or `retry-after` (seconds or a date). */
export function retryAfterMsOf(headers: unknown): number | undefined {
  const milliseconds = Number(headerOf(headers, 'retry-after-ms') ?? NaN);
  if (milliseconds >= 0) return milliseconds;
  const text = headerOf(headers, 'retry-after');
  if (text === undefined || text.trim() === '') return undefined;
  const seconds = Number(text);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
