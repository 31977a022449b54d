// The one place of the testing kit that touches the real clock; called by the simulated host and by checkModel.

// Virtual time cannot drain the platform's own microtask queue: only a real macrotask is sure to come after it.

/**
 * Resolves in a later macrotask, so that every microtask queued before, and all those they queue, have run.
 * MessageChannel where there is one: not clamped to 4 ms by browsers and left alone by fake timers.
 */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') {
      setTimeout(resolve, 0); // oxlint-disable-line turnchart/host-only -- the simulated host itself stands on it
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
    timer = setTimeout(resolve, ms, false); // oxlint-disable-line turnchart/host-only -- a bound on a model under test, which may wait for ever
  });
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer); // oxlint-disable-line turnchart/host-only -- a bound on a model under test, which may wait for ever
  }
}
