// What the conversation has seen of which file: the basis of "read before you edit" and of noticing changes by others.
// Lives in `ToolContext.session`; written by Read and by every tool that changes a file.

import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';

import type { ToolSession } from '../../contracts/tool.ts';

/** What distinguishes one state of a file from another. `hash` is absent for files too large to be read whole. */
export interface FileState {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly modifiedNs: bigint;
  readonly hash?: string;
}

/** Lines from `first` to `last`, 1-based, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Where a line begins, so that the next window of a long file need not be counted from the start. */
export interface LinePosition {
  readonly line: number;
  readonly byte: number;
}

interface LedgerEntry {
  readonly state: FileState;
  readonly ranges: readonly LineRange[];
  /** True when everything in the file has been shown or was written by us. */
  readonly isWhole: boolean;
  readonly positions: readonly LinePosition[];
}

/** `unread`: never read in this conversation. `stale`: changed since. */
export type Freshness = 'fresh' | 'unread' | 'stale';

/** The ledger of one conversation, by canonical path. */
export interface ReadLedger {
  /** Adds lines that were shown. With a new state of the file, what was shown of the old one is forgotten. */
  readonly recordRead: (
    path: string,
    state: FileState,
    shown: { range?: LineRange; isWhole: boolean; next?: LinePosition },
  ) => void;
  /** The tools themselves made the file what it is now. */
  readonly recordWritten: (path: string, state: FileState) => void;
  readonly freshness: (path: string, state: FileState) => Freshness;
  /** What has been shown; undefined when nothing has. */
  readonly seen: (path: string) => { readonly ranges: readonly LineRange[]; readonly isWhole: boolean } | undefined;
  /** The nearest known beginning of a line at or before `line` in exactly this state of the file. */
  readonly positionBefore: (path: string, state: FileState, line: number) => LinePosition | undefined;
}

const key = Symbol('turnchart.readLedger');
const maxEntries = 2000;
const maxPositions = 64;

/** The ledger that belongs to the session, made at its first use. */
export function readLedger(session: ToolSession): ReadLedger {
  return session.get(key, createLedger);
}

/** The state from a stat, with the hash of the content if the content is available. */
export function fileState(stat: BigIntStats, content?: Buffer): FileState {
  const state = { device: stat.dev, inode: stat.ino, size: stat.size, modifiedNs: stat.mtimeNs };
  return content === undefined ? state : { ...state, hash: createHash('sha256').update(content).digest('base64') };
}

// The same content: by hash if both have one, else the same file by size, time and inode.
function isSameState(left: FileState, right: FileState): boolean {
  if (left.hash !== undefined && right.hash !== undefined) return left.hash === right.hash && left.size === right.size;
  return isSameStat(left, right);
}

function isSameStat(left: FileState, right: FileState): boolean {
  return (
    left.device === right.device &&
    left.inode === right.inode &&
    left.size === right.size &&
    left.modifiedNs === right.modifiedNs
  );
}

function createLedger(): ReadLedger {
  const entries = new Map<string, LedgerEntry>();
  const keep = (path: string, entry: LedgerEntry): void => {
    entries.delete(path); // to the end: the map is in order of last use
    entries.set(path, entry);
    const oldest = entries.size > maxEntries ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
  };
  return {
    recordRead: (path, state, { range, isWhole, next }) => {
      const known = entries.get(path);
      const before = known !== undefined && isSameState(known.state, state) ? known : undefined;
      const ranges = range === undefined ? (before?.ranges ?? []) : merged([...(before?.ranges ?? []), range]);
      const positions = before === undefined || !isSameStat(before.state, state) ? [] : before.positions;
      keep(path, {
        state,
        ranges,
        isWhole: isWhole || (before?.isWhole ?? false),
        positions: next === undefined ? positions : [...positions, next].slice(-maxPositions),
      });
    },
    recordWritten: (path, state) => keep(path, { state, ranges: [], isWhole: true, positions: [] }),
    freshness: (path, state) => {
      const known = entries.get(path);
      if (known === undefined) return 'unread';
      return isSameState(known.state, state) ? 'fresh' : 'stale';
    },
    seen: (path) => entries.get(path),
    positionBefore: (path, state, line) => {
      const known = entries.get(path);
      if (known === undefined || !isSameStat(known.state, state)) return undefined;
      let best: LinePosition | undefined;
      for (const position of known.positions) {
        if (position.line <= line && position.line > (best?.line ?? 0)) best = position;
      }
      return best;
    },
  };
}

function merged(ranges: readonly LineRange[]): LineRange[] {
  const result: LineRange[] = [];
  for (const range of ranges.toSorted((left, right) => left.first - right.first)) {
    const last = result.at(-1);
    if (last !== undefined && range.first <= last.last + 1) {
      result[result.length - 1] = { first: last.first, last: Math.max(last.last, range.last) };
    } else result.push(range);
  }
  return result;
}
