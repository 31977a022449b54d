// Callbacks of the host that must never stop what calls them: listeners, inspectors, `onListenerError` itself.

/** A callback whose throw or rejection goes to `onError`; without one it is dropped, for there is nobody left to tell. */
export function quietly<Argument>(
  callback: ((argument: Argument) => unknown) | undefined,
  onError: (thrown: unknown) => void = () => undefined,
): (argument: Argument) => void {
  if (callback === undefined) return () => undefined;
  return (argument) => {
    try {
      const result = callback(argument);
      if (result instanceof Promise) result.catch(onError);
    } catch (thrown) {
      onError(thrown);
    }
  };
}
