// Makes text from models, tools and files safe to print: it cannot move the cursor, set colours or hide other text.

// oxlint-disable-next-line no-control-regex -- it searches for control characters
const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Without control characters and direction overrides; line ends become \n, a tab four spaces. */
export function plainText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll('\t', '    ').replaceAll(harmful, '');
}

/** One line: line ends and runs of white space become one space. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}
