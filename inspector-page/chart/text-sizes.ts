// Measures texts in the fonts charts are drawn with.

import type { TextSizes } from './graph.ts';

// The fonts of states and events; styles.css has the same.
const fonts = {
  state: '600 13px system-ui, sans-serif',
  event: '11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
} as const;

/** A measure for each. */
export function textSizes(): TextSizes {
  const context = document.createElement('canvas').getContext('2d');
  const measure = (font: string) => (text: string) => {
    if (context === null) return text.length * 8;
    context.font = font;
    return context.measureText(text).width + 2;
  };
  return { state: measure(fonts.state), event: measure(fonts.event) };
}
