// Recognises UTF-16 text that carries no byte order mark, by where its NUL bytes stand.

/**
 * The byte order of `sample` read as UTF-16 text without a mark, or undefined where it does not look like any: nearly
 * all NUL bytes must stand on one side of the pairs, and the text must hold no control characters.
 */
export function utf16Guess(sample: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.floor(sample.length / 2);
  if (pairs < 2) return undefined;
  let even = 0;
  let odd = 0;
  for (let index = 0; index < pairs * 2; index += 2) {
    if (sample[index] === 0) even++;
    if (sample[index + 1] === 0) odd++;
  }
  if (odd > pairs * 0.4 && even === 0) return isPrintable(sample, pairs, 0) ? 'utf-16le' : undefined;
  if (even > pairs * 0.4 && odd === 0) return isPrintable(sample, pairs, 1) ? 'utf-16be' : undefined;
  return undefined;
}

// `low` is where the low byte of a pair stands.
function isPrintable(sample: Buffer, pairs: number, low: 0 | 1): boolean {
  for (let index = 0; index < pairs * 2; index += 2) {
    if (sample[index + 1 - low] !== 0) continue;
    const unit = sample[index + low] ?? 0;
    if (unit < 0x20 && unit !== 9 && unit !== 10 && unit !== 13) return false;
  }
  return true;
}
