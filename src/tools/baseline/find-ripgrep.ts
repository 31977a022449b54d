// Finds the ripgrep of the optional dependency. Called by Grep.

let found: Promise<string | undefined> | undefined;

/** The path of the program, or undefined if the package, or its part for this platform, is not installed. */
export function findRipgrep(): Promise<string | undefined> {
  found ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  return found;
}
