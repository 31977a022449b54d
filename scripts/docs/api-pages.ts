// The API reference: one page per entry, made of the declarations that the package ships and the comments on them.
// Called by scripts/docs.ts.

import { spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync, type Comment, type Program } from 'oxc-parser';
import { entrySources, readManifest } from '../manifest.ts';

const root = resolve(import.meta.dirname, '../..');
const declarations = join(root, 'node_modules/.cache/turnchart/declarations');

/** A page to be written. */
export interface ApiPage {
  readonly path: string;
  readonly text: string;
}

/** An exported name, where it is declared, and how. */
interface Declared {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'value';
  readonly comment: string;
  readonly code: string;
}

interface Module {
  readonly file: string;
  readonly source: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** All pages, from freshly made declarations. */
export async function apiPages(): Promise<readonly ApiPage[]> {
  await emitDeclarations();
  const manifest = await readManifest();
  const pages = await Promise.all(
    [...entrySources(manifest)].map(async ([entry, source]) => {
      const name = `${manifest.name}${entry.slice(1)}`;
      const exported = await exportsOf(declarationOf(source));
      return { name, file: `${entry === '.' ? 'root' : entry.slice(2).replaceAll('/', '-')}.md`, source, exported };
    }),
  );
  const list = pages.map(({ name, file, exported }) => `| [\`${name}\`](${file}) | ${exported.length} |`);
  const index = [
    '# API reference',
    '',
    'Made from the declarations the package ships: `npm run docs`. Shapes, units, defaults, bounds and errors are in the comments.',
    '',
    '| entry | exports |',
    '| --- | --- |',
    ...list,
    '',
  ].join('\n');
  return [
    { path: 'docs/api/README.md', text: index },
    ...pages.map(({ name, file, source, exported }) => ({
      path: `docs/api/${file}`,
      text: pageText(name, source, exported),
    })),
  ];
}

async function emitDeclarations(): Promise<void> {
  await rm(declarations, { recursive: true, force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', declarations];
  // Type errors are reported by their own check; declarations are made anyway.
  spawnSync(process.execPath, [tsc, ...args], { cwd: root });
}

function declarationOf(source: string): string {
  return join(declarations, relative('src', source).replace(/\.tsx?$/, '.d.ts'));
}

const groups: readonly (readonly [Declared['kind'], string])[] = [
  ['function', 'Functions'],
  ['class', 'Classes'],
  ['value', 'Values'],
  ['interface', 'Interfaces'],
  ['type', 'Types'],
];

function pageText(name: string, source: string, exported: readonly Declared[]): string {
  const lines = [`# \`${name}\``, '', `Exports of [${source}](../../${source}).`, ''];
  for (const [kind, title] of groups) {
    const ofKind = exported.filter((one) => one.kind === kind).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (ofKind.length === 0) continue;
    lines.push(`## ${title}`, '');
    for (const { name: heading, comment, code } of ofKind) {
      lines.push(`### \`${heading}\``, '');
      if (comment !== '') lines.push(comment, '');
      lines.push('```ts', code, '```', '');
    }
  }
  return lines.join('\n');
}

const modules = new Map<string, Promise<Module>>();

function moduleAt(file: string): Promise<Module> {
  let found = modules.get(file);
  if (found === undefined) modules.set(file, (found = read(file)));
  return found;
}

async function read(file: string): Promise<Module> {
  const source = await readFile(file, 'utf8');
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message ?? ''}`);
  return { file, source, program, comments };
}

async function exportsOf(file: string): Promise<readonly Declared[]> {
  const module = await moduleAt(file);
  const found: Declared[] = [];
  for (const statement of module.program.body) {
    if (statement.type === 'ExportAllDeclaration')
      found.push(...(await exportsOf(beside(file, statement.source.value))));
    if (statement.type !== 'ExportNamedDeclaration') continue;
    if (statement.declaration !== null) {
      found.push(...declaredNames(statement).map((name) => describe(module, statement, name)));
    }
    for (const { local, exported } of statement.specifiers) {
      const [from, to] = [nameOf(local), nameOf(exported)];
      const target = statement.source === null ? importOf(module, from) : { path: statement.source.value, name: from };
      const declared = target === undefined ? declaredIn(module, from, to) : await imported(file, target, to);
      found.push(declared);
    }
  }
  return found;
}

function imported(
  file: string,
  target: { readonly path: string; readonly name: string },
  name: string,
): Promise<Declared> {
  return target.path.startsWith('.')
    ? lookUp(beside(file, target.path), target.name, name)
    : Promise.resolve(foreign(target, name));
}

async function lookUp(file: string, name: string, shown: string): Promise<Declared> {
  const declared = (await exportsOf(file)).find((one) => one.name === name);
  if (declared === undefined) throw new Error(`${relative(declarations, file)} does not export ${name}`);
  return { ...declared, name: shown };
}

function foreign(target: { readonly path: string; readonly name: string }, name: string): Declared {
  return {
    name,
    kind: 'value',
    comment: `\`${target.name}\` of the package ${target.path}.`,
    code: `export { ${name} }`,
  };
}

type Statement = Program['body'][number];
type Exported = Extract<Statement, { type: 'ExportNamedDeclaration' }>;
type ModuleName = Exported['specifiers'][number]['local'];

function nameOf(name: ModuleName): string {
  return name.type === 'Literal' ? String(name.value) : name.name;
}

function declaredNames(statement: Exported): readonly string[] {
  const { declaration } = statement;
  if (declaration === null) return [];
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  }
  return 'id' in declaration && declaration.id !== null && 'name' in declaration.id
    ? [String(declaration.id.name)]
    : [];
}

function declaredIn(module: Module, name: string, shown: string): Declared {
  const statement = module.program.body.find((one) => {
    if (one.type === 'ExportNamedDeclaration') return declaredNames(one).includes(name);
    if (one.type === 'VariableDeclaration') {
      return one.declarations.some(({ id }) => id.type === 'Identifier' && id.name === name);
    }
    return 'id' in one && one.id !== null && 'name' in one.id && one.id.name === name;
  });
  if (statement === undefined) throw new Error(`${module.file} does not declare ${name}`);
  return describe(module, statement, shown);
}

function importOf(module: Module, name: string): { readonly path: string; readonly name: string } | undefined {
  for (const statement of module.program.body) {
    if (statement.type !== 'ImportDeclaration') continue;
    for (const specifier of statement.specifiers) {
      if (specifier.local.name !== name) continue;
      const imported = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : name;
      return { path: statement.source.value, name: imported };
    }
  }
  return undefined;
}

const longestCode = 4_000;

function describe(module: Module, statement: Statement, name: string): Declared {
  const all = module.source.slice(statement.start, statement.end).replace(/^export declare /, 'export ');
  const kind = kindOf(statement);
  // The types of charts would fill pages that nobody reads; all other declarations are shown.
  const isChart = kind === 'value' && all.length > longestCode;
  const code = isChart ? `${all.slice(0, all.indexOf(':') + 1)} …` : all;
  return {
    name,
    kind,
    comment: commentBefore(module, statement.start),
    code: code.trimEnd(),
  };
}

function kindOf(statement: Statement): Declared['kind'] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  switch (declaration?.type) {
    case 'TSDeclareFunction':
    case 'FunctionDeclaration': {
      return 'function';
    }
    case 'ClassDeclaration': {
      return 'class';
    }
    case 'TSInterfaceDeclaration': {
      return 'interface';
    }
    case 'TSTypeAliasDeclaration': {
      return 'type';
    }
    default: {
      return 'value';
    }
  }
}

function commentBefore({ source, comments }: Module, start: number): string {
  const comment = comments.findLast(({ end }) => end <= start);
  if (comment?.type !== 'Block' || source.slice(comment.end, start).trim() !== '') return '';
  return comment.value
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join('\n')
    .trim();
}

function beside(file: string, path: string): string {
  return join(dirname(file), path.replace(/\.[jt]sx?$/, '.d.ts'));
}
