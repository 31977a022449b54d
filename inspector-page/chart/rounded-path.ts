// The lines of edges as SVG paths.

import type { ElkEdgeSection } from 'elkjs/lib/elk-api.js';

/** The path of an edge. */
export function pathOf(sections: readonly ElkEdgeSection[]): string {
  return sections
    .map(({ startPoint, bendPoints = [], endPoint }) => rounded([startPoint, ...bendPoints, endPoint]))
    .join(' ');
}

// Straight lines with round corners.
function rounded(points: readonly { readonly x: number; readonly y: number }[]): string {
  const radius = 6;
  return points
    .map((point, index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      if (before === undefined) return `M${point.x} ${point.y}`;
      if (after === undefined) return `L${point.x} ${point.y}`;
      const into = towards(point, before, radius);
      const out = towards(point, after, radius);
      return `L${into.x} ${into.y}Q${point.x} ${point.y} ${out.x} ${out.y}`;
    })
    .join('');
}

function towards(
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
  most: number,
): { readonly x: number; readonly y: number } {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(most, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
