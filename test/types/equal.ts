// Exact comparison of types. `expectType<Equal<A, B>>()` does not compile when the two differ.

/** True when the two types are the same, also in `any`, optional and readonly. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only with `true`. */
export function expectType<Condition extends true>(): Condition | undefined {
  return undefined;
}
