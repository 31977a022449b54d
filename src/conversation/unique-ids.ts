// Makes repeated ids unique by counting. Called by repair for messages and for the calls of a message.

/**
 * A function that turns an id into one that is not in `taken`, and adds it there: `id` itself, else `id_2`, `id_3`, ….
 * Linear in the number of calls, whatever ids are taken.
 */
export function uniqueIds(taken: Set<string>): (id: string) => string {
  const counts = new Map<string, number>();
  return (id) => {
    let count = counts.get(id) ?? 1;
    let unique = id;
    while (taken.has(unique)) unique = `${id}_${++count}`;
    counts.set(id, count);
    taken.add(unique);
    return unique;
  };
}
