// The rules that know a goal when they see one, in the order they are tried. Only wish.ts calls them.

import { fileKindIn } from './file-kind.ts';
import type { FilesWanted, Goal } from './goal.ts';
import { fileIn, folderIn, quotedIn, withoutPlace } from './words.ts';

type GoalRule = (words: string) => Goal | undefined;

/** The first rule that answers wins. */
export const goalRules: readonly GoalRule[] = [
  (words) =>
    when(/^(?:stop|cancel|abort|halt|enough|that'?s enough|never ?mind|forget it)\b/i, words, { type: 'stop' }),
  (words) => when(/^(?:go on|continue|carry on|proceed|keep going|resume)\b/i, words, { type: 'continue' }),
  (words) => when(/^(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there)?\W*$/i, words, { type: 'greeting' }),
  (words) => when(/^(?:thanks|thank you|thx|cheers)\b/i, words, { type: 'thanks' }),
  (words) =>
    when(/^help\b|\bwhat can you\b|\b(?:who|what) are you\b|\byour (?:tools|abilities)\b/i, words, {
      type: 'capabilities',
    }),
  runGoal,
  todoGoal,
  fileLinesGoal,
  searchGoal,
  readGoal,
  filesGoal,
];

function when(pattern: RegExp, words: string, goal: Goal): Goal | undefined {
  return pattern.test(words) ? goal : undefined;
}

function unclear(question: string): Goal {
  return { type: 'unclear', question };
}

function runGoal(words: string): Goal | undefined {
  const asked = /^(?:run|execute)\b(?: the)?(?: command| script)?\s*:?\s*(.*)$/i.exec(words)?.[1];
  if (asked === undefined) return undefined;
  const command = /`([^`]+)`/.exec(asked)?.[1] ?? asked.replace(/[?!]$/, '').trim();
  return command === ''
    ? unclear('Run which command? Say for example: run `node --version`.')
    : { type: 'run', command };
}

function todoGoal(words: string): Goal | undefined {
  if (!/^(?:make|write|create|plan|add)\b.*\b(?:to-?do|todos|task list|plan)\b/i.test(words)) return undefined;
  const items = (/:\s*(.+)$/.exec(words)?.[1] ?? '').split(/\s*,\s*(?:and\s+)?/).filter((item) => item !== '');
  return items.length > 0
    ? { type: 'todo', items }
    : unclear('Which items? Say for example: make a to-do list: read the code, write a test.');
}

function searchGoal(words: string): Goal | undefined {
  const countOnly = /^(?:how many|how often|count)\b/i.test(words);
  const text = (countOnly ? countedText(words) : undefined) ?? searchedText(words);
  if (text === undefined) return undefined;
  if (text === '') return unclear('Search for what? Say for example: search for "TODO".');
  return { type: 'search', text, countOnly, ...folderOf(words) };
}

// "how many TODOs", "how often does X occur", "count the occurrences of X".
function countedText(words: string): string | undefined {
  const canShout = fileKindIn(words).label === '' && words !== words.toUpperCase();
  const shouted = canShout ? /\b([A-Z]{4,})s?\b/.exec(words)?.[1] : undefined;
  if (shouted !== undefined) return shouted;
  const asked = /\b(?:occurrences? of|how (?:many times|often) (?:does|do|is|are))\s+(.+)$/i.exec(words)?.[1];
  return asked === undefined ? undefined : withoutPlace(asked.replace(/\s+(?:occur|appear|used|show up)\b/i, ''));
}

// "search for X", "grep X in src", "where is X", "find X"; but "find all TypeScript files" is about files.
function searchedText(words: string): string | undefined {
  const [, verb = '', asked] = /^(search|grep|look|find|where)\b\s*(.*)$/i.exec(words) ?? [];
  if (asked === undefined) return undefined;
  const aboutFiles = /^(?:look|find|where)$/i.test(verb) && quotedIn(words) === undefined && /\bfiles?\b/i.test(asked);
  if (aboutFiles) return undefined;
  return withoutPlace(
    asked
      .replace(/^(?:in )?(?:the |all )?(?:files|code|folder|sources?)\b\s*/i, '')
      .replace(/^(?:for|is|are)\b\s*/i, '')
      .replace(/^the (?:words?|text) /i, '')
      .replace(/\s+(?:defined|declared|used|located)(?=\W*$)/i, ''),
  );
}

function fileLinesGoal(words: string): Goal | undefined {
  const asked = /\b(?:how many lines|count (?:the )?lines|number of lines|line count|how long is)\b/i.test(words);
  const file = asked ? fileIn(words) : undefined;
  const isFolder = file?.includes('/') === true && !/\.\w+$/.test(file); // "how many lines in src/cli"
  return file === undefined || isFolder ? undefined : { type: 'fileLines', file };
}

function readGoal(words: string): Goal | undefined {
  if (
    !/^(?:read|open|cat|print|display|view|show|summari[sz]e|explain|look at)\b|\bwhat(?:'s| is| does)\b/i.test(words)
  )
    return undefined;
  const file = fileIn(words);
  const aboutFiles = /\b(?:files|folder|directory)\b/i.test(words);
  if (file !== undefined && !aboutFiles) return { type: 'read', file };
  return /^(?:read|open|cat)\b/i.test(words) && !aboutFiles
    ? unclear('Read which file? Say for example: read package.json.')
    : undefined;
}

function filesGoal(words: string): Goal | undefined {
  const wanted = filesWanted(words);
  const kind = fileKindIn(words);
  const asks = Object.values(wanted).some(Boolean);
  const aboutFiles =
    kind.extensions.length > 0 ||
    (wanted.lines && folderIn(words) !== undefined) ||
    /\b(?:files?|folder|directory|here|sources?)\b|^(?:ls|tree)\b/i.test(words) ||
    /^what(?:'s| is) (?:in|inside|under) /i.test(words);
  const implied = wanted.longest || wanted.shortest || /\bfiles\b/i.test(words);
  if (!(aboutFiles && asks) && !implied) return undefined;
  return { type: 'files', kind, wanted: asks ? wanted : { ...wanted, list: true }, ...folderOf(words) };
}

const listing: readonly RegExp[] = [
  /\b(?:list|show|display)\b|^(?:ls|tree)\b/i,
  /\b(?:what|which) (?:\S+ )?files\b/i,
  /\bwhat(?:'s| is) (?:here|this|(?:in|inside|under) )/i,
];

function filesWanted(words: string): FilesWanted {
  const lines = /\b(?:how many|count (?:the )?|number of|total) ?lines\b|\btotal\b.*\blines\b/i.test(words);
  return {
    count: /\b(?:how many|count|number of)\b(?! (?:the )?lines)/i.test(words),
    list: listing.some((pattern) => pattern.test(words)),
    longest: /\b(?:longest|largest|biggest|most lines)\b/i.test(words),
    shortest: /\b(?:shortest|smallest|fewest lines)\b/i.test(words),
    lines,
  };
}

function folderOf(words: string): { readonly folder?: string } {
  const folder = folderIn(words)?.folder;
  return folder === undefined ? {} : { folder };
}
