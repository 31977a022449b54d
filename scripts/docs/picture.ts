// A chart's Mermaid text as an SVG that needs nothing from the web.

import { renderMermaidSVG } from 'beautiful-mermaid';

/**
 * Draws the text without the arrows to the end, on which the layout of larger charts fails. Uses the system's fonts,
 * and rounds numbers so that the same chart gives the same file.
 */
export function svgOf(mermaid: string): string {
  const drawn = mermaid.replaceAll(/^.*--> \[\*\]$\n?/gm, '');
  const svg = renderMermaidSVG(drawn)
    .replace(/^\s*@import url\([^)]*\);\n/m, '')
    .replaceAll("'Inter', ", '')
    .replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2))))
    .replaceAll(/[ \t]+$/gm, '');
  if (/https?:(?!\/\/www\.w3\.org\/)/.test(svg)) throw new Error('The picture refers to something on the web.');
  return `${svg.trimEnd()}\n`;
}
