// Cuts text at a limit without breaking a character. Used by every tool that shows text of unknown size.

/** The longest beginning of at most `limit` UTF-16 units that does not end inside a surrogate pair. */
export function cutToUnits(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = Math.max(0, limit);
  return text.slice(0, isLow(text.charCodeAt(end)) && isHigh(text.charCodeAt(end - 1)) ? end - 1 : end);
}

/** The longest beginning of at most `limit` UTF-8 bytes that ends on a character. */
export function cutToBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > limit) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** At most `limit` lines of `text`, with a last line that says how many more there are. */
export function cutToLines(text: string, limit: number): string {
  const lines = text.split('\n');
  if (lines.length <= limit) return text;
  return `${lines.slice(0, limit).join('\n')}\n[… ${lines.length - limit} more lines]`;
}

function byteLength(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
