// Counts what a program does instead of how long it takes: how often each piece of the library's code runs, and how many
// elements the language's own loops visit. Made by programs that show that their work does not grow.

import { Session } from 'node:inspector/promises';

const sources = new URL('../../src/', import.meta.url).href;

/** How much was done since the last call, or since the counter was made: 0 when nothing was. */
export type WorkCounter = () => Promise<number>;

/** Counts from now on, in the whole process and for good. */
export async function workCounter(): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  // Of every block, so also of each round of a loop.
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const visited = countVisits();
  let before = 0;
  const blocks = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const scripts = result.filter(({ url }) => url.startsWith(sources));
    return sum(scripts.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count))));
  };
  await blocks();
  return async () => {
    const visits = visited() - before;
    before = visited();
    return (await blocks()) + visits;
  };
}

// What no block of the library shows: iterations, copies and searches that the language does.
function countVisits(): () => number {
  let visits = 0;
  for (const iterator of [[].values(), new Map().values(), new Set().values()]) {
    const prototype = Object.getPrototypeOf(iterator) as { next: () => unknown };
    const { next } = prototype;
    prototype.next = function (this: unknown) {
      visits++;
      return next.call(this);
    };
  }
  const whole = ['concat', 'flat', 'includes', 'indexOf', 'join', 'lastIndexOf', 'reverse', 'shift', 'slice'] as const;
  const more = ['sort', 'splice', 'toReversed', 'toSorted', 'toSpliced', 'unshift'] as const;
  const array = Array.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of [...whole, ...more]) {
    const own = array[name];
    array[name] = function (this: unknown[], ...args: unknown[]) {
      visits += this.length;
      return own?.apply(this, args);
    };
  }
  return () => visits;
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
