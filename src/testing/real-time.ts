// The one place in the testing kit that uses the real clock. Called by the simulated host and the conformance suites.

// Virtual time cannot drain the platform's microtask queue: only a real macrotask is sure to come after it.

/**
 * Resolves in a later macrotask, after every microtask that is queued now and all that these queue. Uses MessageChannel
 * if there is one: browsers do not clamp it to 4 ms and fake timers do not replace it.
 */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') {
      setTimeout(resolve, 0); // oxlint-disable-line turnchart/host-only -- the simulated host is built on it
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

/** Whether `work` settles, in whatever way, within `ms` milliseconds of real time. */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false); // oxlint-disable-line turnchart/host-only -- a bound on work under test, which may wait forever
  });
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer); // oxlint-disable-line turnchart/host-only -- a bound on work under test, which may wait forever
  }
}
