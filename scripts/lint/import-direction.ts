// Checks every import against the folder table: which folders, which packages, and whether Node's own modules.

import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { defineRule, type ESTree } from '@oxlint/plugins';
import { isEntryFile, rowOf, type FolderRow } from './folder-table.ts';
import { projectPath } from './project-path.ts';

/** Reports an import that the folder table does not allow. */
export const importDirection = defineRule({
  meta: { type: 'problem', docs: { description: 'Imports follow the folder table.' } },
  create(context) {
    const path = projectPath(context);
    const row = rowOf(path);
    if (row === undefined) return {};
    const check = (node: ESTree.Node, source: ESTree.Node | null) => {
      if (source === null) return;
      if (source.type !== 'Literal' || typeof source.value !== 'string') {
        context.report({
          node,
          message: 'An import must name its module with a plain string, so that it can be checked.',
        });
        return;
      }
      const fault = faultOf(path, row, source.value);
      if (fault !== undefined) context.report({ node, message: `${fault} The table is scripts/lint/folder-table.ts.` });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source),
      ExportAllDeclaration: (node) => check(node, node.source),
      ExportNamedDeclaration: (node) => check(node, node.source),
      ImportExpression: (node) => check(node, node.source),
      TSImportType: (node) => check(node, node.source),
    };
  },
});

function faultOf(path: string, row: FolderRow, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return roomFault(path, row, posix.join(posix.dirname(path), specifier));
  if (isBuiltin(specifier))
    return row.node ? undefined : `${row.folder} may not import '${specifier}': it runs in browsers too.`;
  const name = packageOf(specifier);
  if (row.packages === 'any' || row.packages.includes(name)) return undefined;
  const allowed = row.packages.length === 0 ? 'no package' : row.packages.join(', ');
  return `${row.folder} may import ${allowed}, not '${name}'.`;
}

function roomFault(path: string, row: FolderRow, target: string): string | undefined {
  const room = rowOf(target)?.folder;
  if (room === row.folder) return undefined;
  if (room === undefined) return `${row.folder} may not import '${target}', which is outside of the library.`;
  if (row.rooms === 'entries') {
    return isEntryFile(target) ? undefined : `${row.folder} may import public entries only, not '${target}'.`;
  }
  if (row.rooms.includes(room) || isBelow(path, room)) return undefined;
  const allowed = row.rooms.length === 0 ? 'no other folder' : row.rooms.join(', ');
  return `${row.folder} may import ${allowed}, not ${room}.`;
}

// An entry file may re-export from the folders below its own; the root's has a row like any folder.
function isBelow(path: string, room: string): boolean {
  const folder = posix.dirname(path);
  return folder !== 'src' && posix.basename(path) === 'index.ts' && room.startsWith(`${folder}/`);
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
