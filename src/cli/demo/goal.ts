// What the demo model can be asked for. wish.ts finds it in words, plan.ts starts the script for it.

import type { FileKind } from './file-kind.ts';

/** What a `files` goal wants to know. */
export interface FilesWanted {
  readonly count: boolean;
  readonly list: boolean;
  readonly longest: boolean;
  readonly shortest: boolean;
  readonly lines: boolean;
}

/** One thing asked for. */
export type Goal =
  | { readonly type: 'greeting' }
  | { readonly type: 'thanks' }
  | { readonly type: 'capabilities' }
  | { readonly type: 'stop' }
  | { readonly type: 'continue' }
  | { readonly type: 'files'; readonly kind: FileKind; readonly folder?: string; readonly wanted: FilesWanted }
  | { readonly type: 'read'; readonly file: string }
  | { readonly type: 'fileLines'; readonly file: string }
  | { readonly type: 'search'; readonly text: string; readonly folder?: string; readonly countOnly: boolean }
  | { readonly type: 'run'; readonly command: string }
  | { readonly type: 'todo'; readonly items: readonly string[] }
  | { readonly type: 'unclear'; readonly question: string }
  | { readonly type: 'unknown'; readonly words: string };
