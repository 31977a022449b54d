// Finds the ripgrep that comes with the optional dependency. Called by Grep.

let found: Promise<string | undefined> | undefined;

/** The path of the program, or undefined where the package, or its part for this platform, is not installed. */
export function findRipgrep(): Promise<string | undefined> {
  found ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  return found;
}
