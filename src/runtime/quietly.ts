// Wraps callbacks of the host, which must never stop what calls them: listeners, inspectors, `onListenerError` itself.

/** A callback whose throw or rejection goes to `onError`; without one it is dropped, as there is nobody to tell. */
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
