// A page as text for the model: its words, links, lists, and a line for each row of a table. Called by read-body.

import type { DomNode, FormatCallback } from 'html-to-text';

// Quotes and lists are copied once per nesting level; no real page is this deep.
const maxDepth = 100;

/** The text of a page, also of one that was cut off. The HTML itself if it cannot be converted. */
export async function pageText(html: string): Promise<string> {
  try {
    if (hasNoEnd(html)) return html;
    const { convert } = await import('html-to-text');
    const block = { leadingLineBreaks: 2, trailingLineBreaks: 2 };
    return convert(html, {
      wordwrap: false,
      limits: { maxDepth, maxInputLength: undefined },
      formatters: { row },
      selectors: [
        { selector: 'img', format: 'skip' },
        { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
        // Tables laid out with spaces may be as wide as their widest cell, times their rows, or their `colspan`.
        { selector: 'table', format: 'block', options: block },
        { selector: 'tr', format: 'row' },
      ],
    });
  } catch {
    return html; // numbers or nesting that the converter cannot handle
  }
}

// The parser's time grows with the square of the number of open elements.
const maxOpen = 10_000;

// `<br>` and the like are never open, and `<p>` and the like close each other.
const tag =
  /<(\/?)(?!(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|param|source|td|th|tr|track|wbr)\b)[a-z]/gi;

function hasNoEnd(html: string): boolean {
  let open = 0;
  for (const [, slash] of html.matchAll(tag)) {
    open = slash === '' ? open + 1 : Math.max(0, open - 1);
    if (open > maxOpen) return true;
  }
  return false;
}

const row: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 });
  let isFirst = true;
  for (const cell of (element.children ?? []).filter(isCell)) {
    if (!isFirst) builder.addInline(' | ');
    isFirst = false;
    walk(cell.children ?? [], builder);
  }
  builder.closeBlock({ trailingLineBreaks: 1 });
};

function isCell({ name }: DomNode): boolean {
  return name === 'td' || name === 'th';
}
