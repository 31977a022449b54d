// Where the file under lint is in the project. Each of our rules asks this first, to know whether it applies.

import { relative, sep } from 'node:path';
import type { Context } from '@oxlint/plugins';

/** The path of the file under lint from the project's root, with forward slashes. */
export function projectPath(context: Context): string {
  return relative(context.cwd, context.filename).split(sep).join('/');
}
