// One subagent from its spawn to its end: an operative with one turn on a scratch conversation. Called by the Agent
// tool.

import { atOnce, isThenable } from '../../contracts/at-once.ts';
import { insideOf } from '../../contracts/call-inside.ts';
import type { Engine } from '../../contracts/engine.ts';
import type { TurnResult } from '../../contracts/events.ts';
import { defaultHost, type Host } from '../../contracts/host.ts';
import type { Operative } from '../../contracts/operative.ts';
import type { Tool } from '../../contracts/tool.ts';
import { createConversation, type Conversation } from '../../conversation/conversation.ts';
import { userMessage } from '../../conversation/message.ts';
import { createEngine } from '../../runtime/engine.ts';
import { internalsOf } from '../../runtime/engine-internals.ts';
import { createOperative } from '../../runtime/operative.ts';
import type { BackgroundToolContext } from '../define-background-tool.ts';
import { ToolResult } from '../tool-result.ts';
import { answerOf, lastWords } from './agent-answer.ts';
import { AgentProgress } from './agent-progress.ts';
import { Places } from './places.ts';
import type { AgentToolOptions, SubagentOperativeOptions, SubagentType } from './subagent-type.ts';

/** What a subagent is made from. */
export interface Spawn {
  readonly name: string;
  readonly type: SubagentType;
  readonly prompt: string;
  readonly options: AgentToolOptions;
  readonly toolName: string;
  readonly maxDepth: number;
  readonly maxParallel: number;
  readonly placesKey: symbol;
}

// How deeply nested a conversation is, kept in its session for the tools that run there.
const depthKey = Symbol('turnchart.agentDepth');

const neverBegan = 'was not started because the call was cancelled. It had no effects.';

/** The tool's result. When it settles, nothing of the subagent is still running, whatever happened. */
export async function runSubagent(spawn: Spawn, context: BackgroundToolContext): Promise<unknown> {
  const { session, signal } = context;
  const depth = session.get(depthKey, () => 0);
  if (depth >= spawn.maxDepth) {
    return ToolResult.error(`Subagents may be nested ${spawn.maxDepth} deep, and this one is: do the task yourself.`);
  }
  const leave = await session.get(spawn.placesKey, () => new Places(spawn.maxParallel)).take(signal);
  try {
    if (signal.aborted) return ToolResult.error(`Agent "${spawn.name}" ${neverBegan}`);
    return await work(spawn, context, depth + 1);
  } finally {
    leave();
  }
}

async function work(spawn: Spawn, context: BackgroundToolContext, depth: number): Promise<unknown> {
  const { name, type, prompt, options } = spawn;
  const { signal, turnContext } = context;
  const inside = insideOf(context);
  const engine = engineOf(type, new Set(['Agent', spawn.toolName]), inside?.host ?? defaultHost);
  const { settings } = internalsOf(engine);
  const conversation = atOnce(options.seed?.(prompt, type), '"seed"') ?? scratchConversation(prompt, type);
  const approve = settings.approve ?? inside?.approve;
  const own: SubagentOperativeOptions = { inspectUnder: context, ...(approve === undefined ? {} : { approve }) };
  const operative = atOnce((options.operative ?? defaultOperative)(engine, conversation, own), '"operative"');
  operative.session.get(depthKey, () => depth);
  const progress = new AgentProgress(name, context);
  const end = endOf(operative, progress);
  const cancel = (): void => {
    // Its own tools must end before the parent stops waiting for this one.
    const graceMs = inside?.graceMs === undefined ? undefined : Math.floor(inside.graceMs * 0.75);
    operative.cancel(graceMs === undefined ? {} : { graceMs }).catch(() => undefined); // a broken one has ended
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const { outcome } = await operative.resume({ turnContext });
    if (outcome === 'nothingToDo' && !signal.aborted) await operative.submit(prompt, { turnContext });
    else if (signal.aborted) cancel(); // it may have come before there was a turn
    const result = outcome === 'nothingToDo' && signal.aborted ? undefined : await end;
    if (result === undefined) return ToolResult.error(`Agent "${name}" ${neverBegan}`);
    inside?.countSubagent(result.usage);
    const stopped = settings.tasks?.endAll(operative.session.id) ?? [];
    const { extractAnswer = lastWords } = options;
    const answer = await unlessAborted(signal, extractAnswer(conversation, result), () => lastWords(conversation));
    return answerOf({ name, result, calls: progress.calls, stopped }, answer);
  } finally {
    signal.removeEventListener('abort', cancel);
    await operative.close().catch(() => undefined);
    settings.tasks?.endAll(operative.session.id);
  }
}

// The type's engine, without tools that start subagents unless the type allows them, and on the parent's host unless it
// has its own.
function engineOf({ engine, allowRecursion }: SubagentType, spawners: ReadonlySet<string>, host: Host): Engine {
  const isAllowed = ({ name }: Pick<Tool, 'name'>): boolean => allowRecursion === true || !spawners.has(name);
  const recipe = atOnce(engine(), '"engine" of a subagent');
  if (!('build' in recipe)) {
    const { tools } = recipe;
    return createEngine({ host, ...recipe, ...(tools === undefined ? {} : { tools: tools.filter(isAllowed) }) });
  }
  const built = recipe.build();
  const usesOwnHost = internalsOf(built).settings.host !== defaultHost;
  if (built.tools.every(isAllowed) && (usesOwnHost || host === defaultHost)) return built;
  return recipe.with({ ...(usesOwnHost ? {} : { host }), tools: built.tools.filter(isAllowed) }).build();
}

// What was given, or `instead` once the call is cancelled: a promise that never settles must not keep a place taken.
function unlessAborted(signal: AbortSignal, given: unknown, instead: () => unknown): unknown {
  if (!isThenable(given)) return given;
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(instead());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    Promise.resolve(given)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

function scratchConversation(prompt: string, { systemPrompt }: SubagentType): Conversation {
  return createConversation({
    ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
    messages: [userMessage(prompt)],
  });
}

function defaultOperative(engine: Engine, conversation: Conversation, own: SubagentOperativeOptions): Operative {
  return createOperative({ engine, conversation, ...own });
}

// Undefined when it was closed before it had a turn.
function endOf(operative: Operative, progress: AgentProgress): Promise<TurnResult | undefined> {
  return new Promise((resolve) => {
    operative.subscribe((event) => {
      progress.hear(event);
      if (event.type === 'turn.completed') {
        const { type: _type, ...result } = event;
        resolve(result);
      } else if (event.type === 'operative.closed') resolve(undefined);
    });
  });
}
