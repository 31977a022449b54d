// Working tools named as coding agents name them, over files held in memory; the engine runs them in tests.

import { matchesGlob } from 'node:path';
import { defineTool, ToolResult, type Tool } from '../../../src/index.ts';
import { codingTools } from './known-tools.ts';

type Files = { readonly [path: string]: string };

/** The tools of `names` (default: all that know how to work) over the files. */
export function codingFolder(files: Files, names: readonly string[] = Object.keys(behaviours)): readonly Tool[] {
  return names.map((name) => {
    const definition = codingTools.find((tool) => tool.name === name);
    const behave = behaviours[name];
    if (definition === undefined || behave === undefined) throw new Error(`No tool ${name} here.`);
    return defineTool({
      name,
      description: definition.description,
      parameters: definition.parameters,
      // Checked against the definition's schema; all parameters used here are strings.
      execute: (args) => behave(files, args as { readonly [key: string]: string }),
    });
  });
}

const behaviours: { readonly [name: string]: (files: Files, args: { readonly [key: string]: string }) => unknown } = {
  Glob: (files, { pattern = '' }) => {
    const paths = Object.keys(files).filter((path) => matchesGlob(path, pattern));
    return paths.length === 0 ? 'No files found' : paths.join('\n');
  },
  Read: (files, { file_path: path = '' }) => {
    const text = files[path];
    if (text === undefined) return ToolResult.error(`File does not exist: ${path}`);
    const lines = text.replace(/\n$/, '').split('\n');
    return lines.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join('\n');
  },
  Grep: (files, { pattern = '', glob = '**/*', output_mode: mode }) => {
    const found = Object.entries(files)
      .filter(([path]) => matchesGlob(path, glob))
      .map(([path, text]) => ({
        path,
        hits: [...text.replace(/\n$/, '').split('\n').entries()].filter(([, line]) => new RegExp(pattern).test(line)),
      }))
      .filter(({ hits }) => hits.length > 0);
    if (found.length === 0) return 'No matches found';
    if (mode === 'count') return found.map(({ path, hits }) => `${path}:${hits.length}`).join('\n');
    if (mode !== 'content') return found.map(({ path }) => path).join('\n');
    return found.flatMap(({ path, hits }) => hits.map(([index, line]) => `${path}:${index + 1}:${line}`)).join('\n');
  },
  Bash: (files, { command = '' }) => {
    if (command.startsWith('wc -l -- ')) {
      const paths = [...command.matchAll(/'([^']+)'/g)].map(([, path = '']) => path);
      return paths.map((path) => `  ${(files[path] ?? '').split('\n').length - 1} ${path}`).join('\n');
    }
    if (command === 'true') return '';
    return command === 'false' ? ToolResult.error('Exit code 1') : `ran ${command}`;
  },
  TodoWrite: () => 'Todos have been modified successfully.',
};
