// Rewrites call ids that a server would refuse, the same way for calls and results. Called by both encoders.

import type { CallIdRule } from './target.ts';

/** The id to send. The same for the same id in every request, so that a cached prefix stays valid. */
export function sentCallId(id: string, rule: CallIdRule | undefined): string {
  if (rule === undefined) return id;
  if (rule.isExact) return new RegExp(`^[a-zA-Z0-9]{${rule.length}}$`).test(id) ? id : digest(id, rule.length);
  return id.length <= rule.length ? id : `${id.slice(0, rule.length - 12)}_${digest(id, 11)}`;
}

/** A digest of the whole id in letters and digits: two FNV-1a hashes, about 56 bits. */
function digest(id: string, length: number): string {
  const hash = (seed: number): string => {
    let value = seed;
    for (let position = 0; position < id.length; position++) {
      value = Math.imul(value ^ id.charCodeAt(position), 0x01000193) >>> 0;
    }
    return value.toString(36).padStart(7, '0');
  };
  return (hash(0x811c9dc5) + hash(0x9747b28c)).slice(0, length);
}
