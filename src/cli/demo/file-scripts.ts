// What the demo model does about folders: list files, count them, find the longest. plan.ts starts the script.

import type { Skills } from './capabilities.ts';
import { globOf, isOfKind } from './file-kind.ts';
import type { Goal } from './goal.ts';
import { countLines } from './line-counting.ts';
import { code, count, failure, joined, lacking } from './phrases.ts';
import type { Script } from './script.ts';
import { pathsIn, type PathList } from './tool-output.ts';

type FilesGoal = Extract<Goal, { type: 'files' }>;

/** Lists the files asked for, counts their lines where that is asked, and sums up. */
export function* filesScript(goal: FilesGoal, skills: Skills): Script {
  const { wanted, kind, folder } = goal;
  const plural = `${kind.label} files`.trim();
  const { list } = skills;
  if (list === undefined) return lacking(`look for ${plural}`);
  const [listed] = yield {
    thinking: `The user asks about ${plural}. The tool ${list.tool} can find them.`,
    say: `I will look for ${plural} with ${list.tool}.`,
    calls: [list.call({ glob: globOf(kind), ...(folder === undefined ? {} : { folder }) })],
  };
  if (listed?.status !== 'completed')
    return listed === undefined ? lacking(`list ${plural}`) : failure(`list ${plural}`, list, listed);
  const everything = pathsIn(listed.text);
  const paths = everything.paths.filter((path) => isOfKind(kind, path));
  const answer = [headline(goal, everything, paths)];
  if (paths.length > 0 && wanted.list) answer.push(bullets(paths, everything));
  if (paths.length > 0 && (wanted.longest || wanted.shortest || wanted.lines)) {
    const counting = yield* countLines({ kind, folder, paths, total: totalOf(everything, paths) }, skills);
    answer.push(...superlatives(goal, counting.lines), ...counting.remarks);
  }
  return wanted.list ? answer.join('\n') : answer.join(' ');
}

function headline({ kind, folder }: FilesGoal, everything: PathList, paths: readonly string[]): string {
  const where = folder === undefined ? 'here' : `in ${code(folder)}`;
  const label = kind.label === '' ? '' : `${kind.label} `;
  if (paths.length === 0) return `There are no ${label}files ${where}.`;
  const total = totalOf(everything, paths);
  const atLeast = everything.isLeast ? 'at least ' : '';
  return `There ${total === 1 ? 'is' : 'are'} ${atLeast}${count(total, `${label}file`)} ${where}.`;
}

// The list may contain other kinds of files too. But if the tool cut it, only the tool knows how many there are.
function totalOf(everything: PathList, paths: readonly string[]): number {
  return everything.total > everything.paths.length ? everything.total : paths.length;
}

const bulletLimit = 20;

function bullets(paths: readonly string[], everything: PathList): string {
  const shown = paths.slice(0, bulletLimit).map((path) => `- ${path}`);
  const more = totalOf(everything, paths) - shown.length;
  return [...shown, ...(more > 0 ? [`- … and ${more.toLocaleString('en-US')} more`] : [])].join('\n');
}

function superlatives({ wanted }: FilesGoal, lines: ReadonlyMap<string, number>): readonly string[] {
  if (lines.size === 0) return [];
  const sentences: string[] = [];
  if (wanted.longest) sentences.push(extreme('longest', lines, Math.max(...lines.values())));
  if (wanted.shortest) sentences.push(extreme('shortest', lines, Math.min(...lines.values())));
  if (wanted.lines)
    sentences.push(
      `Together they have ${count(
        [...lines.values()].reduce((sum, lines) => sum + lines, 0),
        'line',
      )}.`,
    );
  return sentences;
}

function extreme(word: string, lines: ReadonlyMap<string, number>, value: number): string {
  const paths = [...lines].filter(([, lines]) => lines === value).map(([path]) => code(path));
  if (paths.length === 1) return `The ${word} is ${paths[0]} with ${count(value, 'line')}.`;
  const named = paths.length > 3 ? [...paths.slice(0, 3), `${(paths.length - 3).toLocaleString('en-US')} more`] : paths;
  return `The ${word} are ${joined(named)} with ${count(value, 'line')} each.`;
}
