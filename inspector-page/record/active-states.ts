// Which states of a chart are active, read from a snapshot's value.

// No chart is deeper; what came over the wire may be.
const deepest = 20;

/** Keys of active states, parents included: `active`, `active.running`. */
export function activeStates(value: unknown): ReadonlySet<string> {
  const keys = new Set<string>();
  const add = (part: unknown, above: string, depth: number) => {
    if (depth > deepest) return;
    if (typeof part === 'string') {
      keys.add(above === '' ? part : `${above}.${part}`);
    } else if (typeof part === 'object' && part !== null) {
      for (const [name, below] of Object.entries(part)) {
        const key = above === '' ? name : `${above}.${name}`;
        keys.add(key);
        add(below, key, depth + 1);
      }
    }
  };
  add(value, '', 0);
  return keys;
}

/** A value as one line: `active.running`; parallel parts are joined by a bar. */
export function valueText(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > deepest) return '';
  return Object.entries(value)
    .map(([name, below]) => {
      const text = valueText(below, depth + 1);
      return text === '' ? name : `${name}.${text}`;
    })
    .join(' | ');
}
