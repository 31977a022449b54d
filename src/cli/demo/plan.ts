// Decides the demo model's next step from the request alone: which goals stand, how far they are, what to say.

import type { Message, ToolDefinition } from '../../index.ts';
import { skillsOf, type Skills } from './capabilities.ts';
import { exchangeOf, type Exchange } from './exchange.ts';
import { filesScript } from './file-scripts.ts';
import type { Goal } from './goal.ts';
import { readScript, runScript, searchScript, todoScript } from './other-scripts.ts';
import { clipped, code, count, joined } from './phrases.ts';
import { pick } from './random.ts';
import { nextStep, type Script, type Step } from './script.ts';
import { wishOf } from './wish.ts';

/** The next step for these messages and tools. The same input and the same chance give the same step. */
export function planStep(messages: readonly Message[], tools: readonly ToolDefinition[], random: () => number): Step {
  const exchange = exchangeOf(messages);
  const skills = skillsOf(tools);
  const { goals, remark } = standing(exchange);
  const step = nextStep(together(goals, skills, exchange, random), exchange.evidence);
  if (remark === undefined || !exchange.fresh) return step;
  return step.type === 'call' ? { ...step, say: `${remark} ${step.say}` } : { ...step, text: `${remark} ${step.text}` };
}

interface Standing {
  readonly goals: readonly Goal[];
  /** What to say about the last message's effect on the goals. */
  readonly remark?: string;
}

// Later messages add to the goals, replace them, or leave them as they are.
function standing({ requests }: Exchange): Standing {
  let now: Standing = { goals: [] };
  for (const { words, steered, afterCut } of requests) {
    const { relation, goals } = wishOf(words);
    const [{ type }] = goals;
    const busy = now.goals.length > 0 && now.goals[0]?.type !== 'stop';
    const said = `"${clipped(words, 60)}"`;
    const idle =
      type === 'greeting' || type === 'thanks' || type === 'unknown' || type === 'unclear' || type === 'capabilities';
    if (!busy || type === 'stop') now = { goals };
    else if (type === 'continue') now = { goals: now.goals, remark: 'I go on.' };
    else if (afterCut === true && relation !== 'also') now = { goals };
    else if (relation === 'instead') now = { goals, remark: `Changing course, as you said: ${said}.` };
    else if (idle && steered)
      now = { goals: now.goals, remark: `I got ${said}, but have no rule for it while I work, so I go on.` };
    else if (relation === 'also' || !steered)
      now = { goals: [...now.goals, ...goals], ...(steered ? { remark: 'I will do that too.' } : {}) };
    else now = { goals, remark: `Changing course, as you said: ${said}.` };
  }
  return now;
}

function* together(goals: readonly Goal[], skills: Skills, exchange: Exchange, random: () => number): Script {
  const answers: string[] = [];
  for (const goal of goals) answers.push(yield* scriptFor(goal, skills, exchange, random));
  return answers.length > 0 ? answers.join('\n\n') : `${whoIAm} ${whatICan(skills)}`;
}

function scriptFor(goal: Goal, skills: Skills, exchange: Exchange, random: () => number): Script {
  switch (goal.type) {
    case 'files':
      return filesScript(goal, skills);
    case 'read':
      return readScript(goal.file, false, skills);
    case 'fileLines':
      return readScript(goal.file, true, skills);
    case 'search':
      return searchScript(goal, skills);
    case 'run':
      return runScript(goal.command, skills);
    case 'todo':
      return todoScript(goal.items, skills);
    case 'greeting':
      return says(`${pick(random, ['Hello!', 'Hi!', 'Good to see you.'])} ${whoIAm} ${whatICan(skills)}`);
    case 'thanks':
      return says(pick(random, ['You are welcome.', 'Any time.', 'Glad it helped.']));
    case 'capabilities':
      return says(`${whoIAm} ${whatICan(skills)}`);
    case 'stop':
      return says(stopped(exchange));
    case 'continue':
      return says(`There is nothing to continue. ${whatICan(skills)}`);
    case 'unclear':
      return says(goal.question);
    case 'unknown':
      return says(`I have no rule for that. ${whoIAm} ${whatICan(skills)}`);
  }
}

// oxlint-disable-next-line require-yield -- a script that needs no tools
function* says(text: string): Script {
  return text;
}

const whoIAm = 'I am a scripted demo model: I follow a few rules over your words and am not an AI.';

function whatICan(skills: Skills): string {
  const can = [
    skills.list && 'list and count files ("how many TypeScript files are here, and which is the longest?")',
    skills.read && 'read a file ("read package.json")',
    skills.search && 'search ("search for TODO")',
    skills.run && 'run a command ("run `node --version`")',
    skills.todo && 'keep a to-do list ("make a to-do list: read, write")',
  ].filter((ability) => ability !== undefined);
  return can.length === 0
    ? 'I was given no tools I know how to use, so all I can do is talk.'
    : `With the tools I was given I can ${joined(can)}.`;
}

function stopped({ evidence }: Exchange): string {
  if (evidence.length === 0) return 'Stopped, as you asked. I had not started anything.';
  const tools = [...new Set(evidence.map(({ call }) => call.name))].map(code);
  return `Stopped, as you asked. Until then I had made ${count(evidence.length, 'tool call')} (${joined(tools)}).`;
}
