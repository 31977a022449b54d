// Collects the secrets of a tool's headers and removes them from texts. Used for everything a tool reports about a
// request.

import { isSecretName } from './secret-names.ts';
import { cutPlaceOf, placesOf, shortestSecret, writtenSecret, type Place } from './secret-places.ts';

/** Adds the secrets of a header: its value, and the parts of it that a server may echo alone. */
export function addSecrets(secrets: Set<string>, name: string, value: string): void {
  if (!isSecretName(name)) return;
  const parts = /cookie/i.test(name)
    ? value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    : [value.slice(value.indexOf(' ') + 1), ...nameAndPassword(value)]; // what follows `Bearer`
  for (const part of [value, ...parts]) if (part.length >= shortestSecret) secrets.add(part);
}

/**
 * The text with every secret, and every beginning that is half of one or more, replaced by `[redacted]`. `isCut`: more
 * would have followed, so anything at the end that could be the beginning of a secret is left out.
 */
export function withoutSecrets(text: string, secrets: ReadonlySet<string>, isCut = false): string {
  const written = [...secrets].map(writtenSecret);
  const cuts = isCut ? written.flatMap((secret) => cutPlaceOf(secret, text) ?? []) : [];
  const places = written.flatMap((secret) => placesOf(secret, text));
  // Overlapping secrets are both replaced.
  const cut = Math.min(text.length, ...cuts);
  let clean = '';
  let end = 0;
  for (const place of merged(places)) {
    if (place.start >= cut) break;
    clean += `${text.slice(end, place.start)}[redacted]`;
    end = place.end;
  }
  return clean + text.slice(end, Math.max(end, cut));
}

// Overlapping places are merged.
function merged(places: readonly Place[]): readonly Place[] {
  const whole: Place[] = [];
  for (const place of places.toSorted((one, other) => one.start - other.start)) {
    const last = whole.at(-1);
    if (last === undefined || place.start >= last.end) whole.push(place);
    else whole[whole.length - 1] = { start: last.start, end: Math.max(last.end, place.end) };
  }
  return whole;
}

/**
 * The message of a failed attempt to make a request, without the header or the address that platforms like to quote
 * there.
 */
export function withoutQuotes(message: string): string {
  return message
    .replace(/"[^]*" is an invalid header value/, 'The value is an invalid header value')
    .replace(/(Failed to parse URL) from [^]*/, '$1.')
    .replace(/(invalid (?:header )?value):[^]*/i, '$1.')
    .replaceAll(/\/\/[^\s/?#]*@/g, '//[redacted]@');
}

// `Basic` contains both in a form that every server can decode and echo.
function nameAndPassword(value: string): readonly string[] {
  const encoded = /^basic +([\w+/=-]+)$/i.exec(value.trim())?.[1];
  if (encoded === undefined) return [];
  try {
    const both = new TextDecoder().decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
    return [both, both.slice(both.indexOf(':') + 1)];
  } catch {
    return []; // not valid `Basic`
  }
}
