// The arguments of Grep, and ripgrep's command line for them. Pure.

import { namesHidden } from './glob-pattern.ts';
import { leftOutFolders } from './ignore-rules.ts';
import type { ObjectSchema } from './lenient-arguments.ts';

/** Arguments of Grep. */
export interface GrepArguments {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly type?: string;
  readonly output_mode?: 'files_with_matches' | 'content' | 'count';
  readonly '-A'?: number;
  readonly '-B'?: number;
  readonly '-C'?: number;
  readonly context?: number;
  readonly '-n'?: boolean;
  readonly '-i'?: boolean;
  readonly '-o'?: boolean;
  readonly multiline?: boolean;
  /** Default 250; 0 = all. */
  readonly head_limit?: number;
  readonly offset?: number;
}

const lines = (what: string) => ({ type: 'integer', minimum: 0, description: what }) as const;

/** Their schema. */
export const grepSchema: ObjectSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, description: 'The regular expression to look for' },
    path: { type: 'string', description: 'The file or folder to search. Default: the working directory' },
    glob: { type: 'string', description: 'Only files that match, such as *.ts or src/**/*.{ts,tsx}; !*.md leaves out' },
    type: { type: 'string', description: 'Only files of a type ripgrep knows, such as js, py, rust' },
    output_mode: {
      type: 'string',
      enum: ['files_with_matches', 'content', 'count'],
      description:
        'files_with_matches: paths, newest first (default); content: the matching lines; count: matching lines per file, most first',
    },
    '-A': lines('Lines to show after each match, for content'),
    '-B': lines('Lines to show before each match, for content'),
    '-C': lines('Lines to show around each match, for content'),
    context: lines('The same as -C'),
    '-n': { type: 'boolean', description: 'Show line numbers, for content. Default true' },
    '-i': { type: 'boolean', description: 'Letter case does not count' },
    '-o': { type: 'boolean', description: 'Show only what matched, for content' },
    multiline: { type: 'boolean', description: 'Matches may span lines, and . matches line ends' },
    head_limit: lines('How many lines or files to show. Default 250; 0 = all'),
    offset: lines('How many lines or files to skip before the first one shown'),
  },
  required: ['pattern'],
};

/** How many lines before and after each match. */
export function contextOf(args: GrepArguments): { readonly before: number; readonly after: number } {
  const around = args.context ?? args['-C'] ?? 0;
  return { before: args['-B'] ?? around, after: args['-A'] ?? around };
}

/** The mode, with its default. */
export function modeOf(args: GrepArguments): 'files_with_matches' | 'content' | 'count' {
  return args.output_mode ?? 'files_with_matches';
}

/**
 * Arguments for ripgrep. No value can become an option: the pattern follows `-e`, the path follows `--`. A glob that
 * includes files is not passed on as it is, since ripgrep would then include ignored and hidden files as well: only its
 * last part is, as a custom type, and the caller checks the rest. `isRepository` says whether ignore files of the
 * folders above count.
 */
export function ripgrepArguments(args: GrepArguments, target: { path: string; isRepository: boolean }): string[] {
  const mode = modeOf(args);
  const { before, after } = contextOf(args);
  const list = ['--no-config', '--color=never', '--no-require-git', '--null', '--engine=auto'];
  if (!target.isRepository) list.push('--no-ignore-parent');
  if (namesHidden(target.path) || (args.glob !== undefined && namesHidden(args.glob))) {
    list.push('--hidden');
  }
  list.push(...leftOutFolders.map((name) => `--glob=!${name}`));
  list.push(args['-i'] === true ? '--ignore-case' : '--case-sensitive');
  if (args.multiline === true) list.push('--multiline', '--multiline-dotall');
  if (args.type !== undefined) list.push(`--type=${args.type}`);
  if (args.glob?.startsWith('!') === true) list.push(`--glob=${args.glob}`);
  else if (args.glob !== undefined && args.type === undefined) list.push(...typeOfGlob(args.glob));
  switch (mode) {
    case 'files_with_matches':
      list.push('--files-with-matches');
      break;
    case 'count':
      list.push('--count', '--with-filename');
      break;
    case 'content':
      // Sorted, so that pages of a long answer fit together and the same search gives the same answer.
      list.push('--sort=path', '--no-heading', '--with-filename', '--line-number', '--column');
      if (args['-o'] === true) list.push('--only-matching');
      else list.push(`--before-context=${before}`, `--after-context=${after}`);
      break;
  }
  list.push('-e', args.pattern, '--', target.path);
  return list;
}

// Plain names can be filtered by ripgrep itself. What it might interpret differently is left to the caller.
function typeOfGlob(glob: string): string[] {
  const name = glob.slice(glob.lastIndexOf('/') + 1);
  const isSafe =
    /^[\w.*?{},-]+$/.test(name) && name !== '**' && isBalanced(name) && isBalanced(glob.slice(0, -name.length));
  return isSafe ? [`--type-add=turnchart:${name}`, '--type=turnchart'] : [];
}

function isBalanced(text: string): boolean {
  return text.split('{').length === text.split('}').length && !/\{[^{}]*\{/.test(text);
}
