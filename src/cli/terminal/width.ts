// How many columns text takes on a terminal. Used by the screen and the renderer.

const zeroWidth = /[\p{M}\p{Cf}]/u;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Columns of one character (a code point): 0, 1 or 2. */
export function widthOf(character: string): number {
  if (character < '\u0300') return 1;
  if (zeroWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The text, cut with an ellipsis so that it takes at most `columns`. It must not contain line ends or colours. */
export function fitted(text: string, columns: number): string {
  let width = 0;
  let kept = '';
  let keptBeforeLast = '';
  for (const character of text) {
    width += widthOf(character);
    if (width > columns) return `${keptBeforeLast}…`;
    kept += character;
    if (width <= columns - 1) keptBeforeLast = kept;
  }
  return kept;
}
