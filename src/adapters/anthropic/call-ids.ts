// Makes call ids that Anthropic accepts: only [a-zA-Z0-9_-], and unique within a request. Called by the encoder.

/** The ids of one request. The same history gives the same ids, so the cached prefix stays valid. */
export interface CallIds {
  /** A new answer begins: calls and results from here on belong to it. */
  beginAnswer(): void;
  /** The id to send for a call. */
  ofCall(id: string): string;
  /** The id to send for a result: that of the call with the same id in the answer before it. */
  ofResult(id: string): string;
}

/** Ids are kept unless the API refuses them or an earlier answer used them. */
export function createCallIds(): CallIds {
  const used = new Set<string>();
  let answer = new Map<string, string[]>();
  let taken = new Map<string, number>();
  return {
    beginAnswer() {
      answer = new Map();
      taken = new Map();
    },
    ofCall(id) {
      const base = accepted(id);
      let unique = base;
      for (let count = 2; used.has(unique); count++) unique = `${base}_${count}`;
      used.add(unique);
      const same = answer.get(id);
      if (same === undefined) answer.set(id, [unique]);
      else same.push(unique);
      return unique;
    },
    ofResult(id) {
      const same = answer.get(id);
      if (same === undefined) return accepted(id);
      const position = taken.get(id) ?? 0;
      taken.set(id, position + 1);
      return same[Math.min(position, same.length - 1)] ?? accepted(id);
    },
  };
}

function accepted(id: string): string {
  return id === '' ? 'call' : id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
