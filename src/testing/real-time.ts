// The one place of the testing kit that touches the real clock; called by the simulated host and by checkModel.

// A host owns virtual time, and draining the platform's own microtask queue is exactly what virtual time cannot do:
// the only event that is sure to come after every queued microtask is a real macrotask.

/**
 * Resolves in a later macrotask, so that every microtask queued before, and all those they queue, have run.
 * MessageChannel where there is one: not clamped to 4 ms by browsers and left alone by fake timers.
 */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') {
      setTimeout(resolve, 0);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      // An open port would keep the process alive.
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Resolves true when `work` settles, in whatever way, within `ms` of real time; false when it does not. */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
