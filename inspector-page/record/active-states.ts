// Which states of a chart are active, read from a snapshot's value.

/** Keys of active states, parents included: `active`, `active.running`. */
export function activeStates(value: unknown): ReadonlySet<string> {
  const keys = new Set<string>();
  const add = (part: unknown, above: string, depth: number) => {
    if (depth > 20) return;
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
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, below]) => {
      const text = valueText(below);
      return text === '' ? name : `${name}.${text}`;
    })
    .join(' | ');
}
