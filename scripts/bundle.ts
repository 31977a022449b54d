// Bundles the built root entry for browsers and checks what is inside: no zod, no Node modules, no SDK; and in an app
// that uses a part of it, only that part. What size-limit measures is left in the cache.

import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const cache = resolve(root, 'node_modules/.cache/turnchart');
const entry = resolve(root, 'dist/index.js');

// What the root entry may bring into a browser besides the library itself.
const welcome = new Set(['xstate']);

const faults: string[] = [];
const all = await bundle(`export * from ${JSON.stringify(entry)};`, resolve(cache, 'root.js'));
for (const name of all.imports) faults.push(`The root entry imports '${name}' at run time`);
for (const name of all.packages) if (!welcome.has(name)) faults.push(`The root entry contains ${name}`);
console.log(`root entry for browsers: ${kilobytes(all.code)}, ${[...all.packages].join(', ') || 'no package'} inside`);

const turns = await bundle(using('createEngine', 'defineTool'), resolve(cache, 'engine.js'));
console.log(`an app with an engine and tools: ${kilobytes(turns.code)}`);
const agent = await bundle(using('createEngine', 'createOperative', 'defineTool'), resolve(cache, 'operative.js'));
console.log(`an app with an operative and tools: ${kilobytes(agent.code)}`);

// Importing the library must neither run anything nor pull in the runtime.
const data = await bundle(using('createConversation', 'userMessage', 'textOf'));
console.log(`an app that only makes conversations: ${kilobytes(data.code)}`);
for (const name of data.packages) faults.push(`An app that only makes conversations contains ${name}`);
for (const folder of ['machines', 'services', 'runtime', 'transformers']) {
  if (data.modules.some((module) => module.includes(`/dist/${folder}/`))) {
    faults.push(`An app that only makes conversations contains modules of ${folder}/`);
  }
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

interface Bundled {
  readonly code: string;
  readonly imports: readonly string[];
  /** Modules with code left in the bundle. */
  readonly modules: readonly string[];
  readonly packages: ReadonlySet<string>;
}

async function bundle(source: string, target?: string): Promise<Bundled> {
  const made = await rolldown({
    input: 'app',
    platform: 'browser',
    plugins: [
      {
        name: 'app',
        resolveId: (id) => (id === 'app' ? '\0app' : null),
        load: (id) => (id === '\0app' ? source : null),
      },
    ],
    onLog(_level, log) {
      faults.push(log.message);
    },
  });
  const options = { format: 'esm', minify: true, codeSplitting: false } as const;
  if (target !== undefined) await mkdir(dirname(target), { recursive: true });
  const { output } = await (target === undefined ? made.generate(options) : made.write({ file: target, ...options }));
  await made.close();
  const [chunk] = output;
  const modules = Object.entries(chunk.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []));
  const packages = new Set<string>();
  for (const module of modules) {
    const found = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(module)?.[1];
    if (found !== undefined) packages.add(found.replace('\\', '/'));
  }
  return { code: chunk.code, imports: [...chunk.imports, ...chunk.dynamicImports], modules, packages };
}

function using(...names: readonly string[]): string {
  return `import { ${names.join(', ')} } from ${JSON.stringify(entry)}; globalThis.used = [${names.join(', ')}];`;
}

function kilobytes(code: string): string {
  return `${(gzipSync(code, { level: 9 }).length / 1000).toFixed(1)} kB`;
}
