// Reads package.json for the scripts and the architecture test.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** The parts of package.json that scripts and tests read. */
export interface Manifest {
  readonly name: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/** package.json as it is now. */
export async function readManifest(): Promise<Manifest> {
  // the project's own file, whose shape the architecture test checks
  return JSON.parse(await readFile(resolve(import.meta.dirname, '../package.json'), 'utf8')) as Manifest;
}

/** Source file by entry name (`.`, `./codec`), for the entries that are code. */
export function entrySources(manifest: Manifest): Map<string, string> {
  const sources = new Map<string, string>();
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target !== 'string') sources.set(entry, sourceOf(target.default));
  }
  return sources;
}

/** `./dist/codec/index.js` → `src/codec/index.ts`. */
export function sourceOf(built: string): string {
  return built.replace(/^(\.\/)?dist\//, 'src/').replace(/\.js$/, '.ts');
}
