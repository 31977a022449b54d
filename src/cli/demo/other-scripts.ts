// What the demo model does about one file, one text, one command or a to-do list. plan.ts starts these scripts.

import type { Skills } from './capabilities.ts';
import type { Goal } from './goal.ts';
import { code, count, failure, fenced, joined, lacking } from './phrases.ts';
import type { Script } from './script.ts';
import { matchesIn, readTextIn } from './tool-output.ts';

/** Reads a file and shows its length and its first lines; with `lengthOnly` just the length. */
export function* readScript(file: string, lengthOnly: boolean, skills: Skills): Script {
  const { read } = skills;
  const doing = `read ${code(file)}`;
  if (read === undefined) return lacking(doing);
  const [outcome] = yield {
    thinking: `The user asks about the file ${file}. ${read.tool} can read it.`,
    say: `I will read ${code(file)}.`,
    calls: [read.call({ file })],
  };
  if (outcome?.status !== 'completed') return outcome === undefined ? lacking(doing) : failure(doing, read, outcome);
  const { lines, total } = readTextIn(outcome.text);
  const length = `${code(file)} has ${total === undefined ? 'at least ' : ''}${count(total ?? lines.length, 'line')}.`;
  return lengthOnly || lines.length === 0 ? length : `${length} It begins:\n${fenced(lines, 8)}`;
}

/** Searches and says where the text is; with `countOnly` just how often. */
export function* searchScript(goal: Extract<Goal, { type: 'search' }>, skills: Skills): Script {
  const { search } = skills;
  const { text, folder } = goal;
  const doing = `search for ${code(text)}`;
  if (search === undefined) return lacking(doing);
  const pattern = search.isRegular ? text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`) : text;
  const [outcome] = yield {
    thinking: `The user looks for ${text}. ${search.tool} can find it.`,
    say: `I will search for ${code(text)}.`,
    calls: [search.call({ text: pattern, mode: 'content', ...(folder === undefined ? {} : { folder }) })],
  };
  if (outcome?.status !== 'completed') return outcome === undefined ? lacking(doing) : failure(doing, search, outcome);
  const { matches, cut } = matchesIn(outcome.text);
  const where = folder === undefined ? 'here' : `in ${code(folder)}`;
  if (matches.length === 0) return `I found no ${code(text)} ${where}.`;
  const files = new Set(matches.map(({ path }) => path)).size;
  const places =
    matches[0]?.line === undefined
      ? count(files, 'file')
      : `${count(matches.length, 'line')} of ${count(files, 'file')}`;
  const headline = `${code(text)} is in ${cut ? 'at least ' : ''}${places} ${where}.`;
  if (goal.countOnly) return headline;
  const shown = matches
    .slice(0, 5)
    .map(({ path, line, text }) => (line === undefined ? `- ${path}` : `- ${path}:${line} ${text ?? ''}`.trimEnd()));
  const more = matches.length - shown.length;
  return [headline, ...shown, ...(more > 0 ? [`- … and ${more.toLocaleString('en-US')} more`] : [])].join('\n');
}

/** Runs a command once and shows what it printed. */
export function* runScript(command: string, { run }: Skills): Script {
  const doing = `run ${code(command)}`;
  if (run === undefined) return lacking(doing);
  const [outcome] = yield {
    thinking: `The user wants a command run. ${run.tool} can do it.`,
    say: `I will run ${code(command)}.`,
    calls: [run.call({ command })],
    once: true,
  };
  if (outcome?.status !== 'completed') return outcome === undefined ? lacking(doing) : failure(doing, run, outcome);
  const lines = outcome.text.trimEnd().split(/\r?\n/);
  return /^\s*(?:\(no output\)\s*)?$/.test(outcome.text)
    ? `I ran ${code(command)}. It printed nothing.`
    : `I ran ${code(command)}. It printed ${count(lines.length, 'line')}:\n${fenced(lines, 12)}`;
}

/** Writes a to-do list. */
export function* todoScript(items: readonly string[], { todo }: Skills): Script {
  const doing = 'keep a to-do list';
  if (todo === undefined) return lacking(doing);
  const todos = items.map((item) => ({ content: item, description: item, activeForm: item, status: 'pending' }));
  const [outcome] = yield {
    thinking: `The user wants ${count(items.length, 'item')} written down. ${todo.tool} can do it.`,
    say: 'I will write that down.',
    calls: [todo.call({ todos })],
    once: true,
  };
  if (outcome?.status !== 'completed') return outcome === undefined ? lacking(doing) : failure(doing, todo, outcome);
  return `The to-do list has ${count(items.length, 'item')}: ${joined(items)}.`;
}
