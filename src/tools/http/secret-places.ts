// Finds a secret in a text, however a server wrote it: each character plain, or escaped as in JSON, URLs or HTML.
// Called by secrets.

/** A stretch of a text. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** The ways in which each character of a secret may be written. */
export type WrittenSecret = readonly (readonly string[])[];

/** Shorter secrets are not searched for: half of any text would be hidden. */
export const shortestSecret = 6;

// The longest way to write one character.
const longestForm = Math.max('&quot;'.length, '\\u00ff'.length, '%C3%BF'.length, '&#0255;'.length);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Prepares a secret once for all searches. */
export function writtenSecret(secret: string): WrittenSecret {
  return [...secret].map(formsOf);
}

// Of the 256 characters that headers have.
const knownForms = new Map<string, readonly string[]>();

function formsOf(character: string): readonly string[] {
  const known = knownForms.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).padStart(2, '0');
  const forms = [
    character,
    ...(/[\w\s]/.test(character) ? [] : [`\\${character}`]),
    ...[hex, hex.toUpperCase()].flatMap((digits) => [
      `\\u${digits.padStart(4, '0')}`,
      `\\x${digits}`,
      `%${digits}`,
      `&#x${digits};`,
    ]),
    `&#${code};`,
    `&#0${code};`, // as PHP writes quotes
    encodeURIComponent(character.toWellFormed()),
    ...(character === ' ' ? ['+'] : []),
    ...(entities[character] === undefined ? [] : [entities[character]]),
  ];
  const different = [...new Set(forms)];
  if (code < 256) knownForms.set(character, different);
  return different;
}

/** Every place of the secret, or of its first half and more, in order. */
export function placesOf(secret: WrittenSecret, text: string): readonly Place[] {
  const enough = Math.max(shortestSecret, Math.ceil(secret.length / 2));
  const beginning = new RegExp(
    secret
      .slice(0, shortestSecret)
      .map((forms) => `(?:${forms.map((form) => form.replaceAll(/\W/g, '\\$&')).join('|')})`)
      .join(''),
    'g',
  );
  const places: Place[] = [];
  for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
    const { known, end } = follow(secret, text, found.index);
    if (known >= enough) places.push({ start: found.index, end });
    beginning.lastIndex = known >= enough ? end : found.index + 1;
  }
  return places;
}

/** Where a beginning of the secret starts that the end of the text may have cut off. */
export function cutPlaceOf(secret: WrittenSecret, text: string): number | undefined {
  for (let start = Math.max(0, text.length - secret.length * longestForm); start < text.length; start += 1) {
    if (follow(secret, text, start).isCut) return start;
  }
  return undefined;
}

/** How many characters of the secret stand at a place, where they end, and whether the text ends before the secret. */
function follow(
  secret: WrittenSecret,
  text: string,
  start: number,
): { readonly known: number; readonly end: number; readonly isCut: boolean } {
  // More than one where a character is the beginning of another one's form.
  let ends: readonly number[] = [start];
  let isCut = false;
  for (const [known, forms] of secret.entries()) {
    isCut ||= ends.some((at) => at + longestForm > text.length && isBegun(forms, text.slice(at)));
    const next = new Set<number>();
    for (const at of ends) for (const form of forms) if (text.startsWith(form, at)) next.add(at + form.length);
    if (next.size === 0) return { known, end: Math.max(...ends), isCut };
    ends = [...next];
  }
  return { known: secret.length, end: Math.max(...ends), isCut };
}

function isBegun(forms: readonly string[], rest: string): boolean {
  return forms.some((form) => form.length > rest.length && form.startsWith(rest));
}
