// A parent whose model calls Agent once, and its subagent's own model. Used by the tests of the Agent tool.

import type { EngineOptions } from '../../../src/contracts/engine.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';
import { scriptedModel, simulatedHost, type ScriptedModel, type SimulatedHost } from '../../../src/testing/index.ts';
import { agentTool } from '../../../src/tools/agent/agent-tool.ts';
import type { AgentToolOptions, SubagentType } from '../../../src/tools/agent/subagent-type.ts';
import { startTurn, type Turn, type TurnSetup } from '../../runtime/turn-bench.ts';

export interface AgentSetup extends TurnSetup {
  /** What the subagent's model does. */
  readonly child: Parameters<typeof scriptedModel>[0];
  /** The rest of the subagent's recipe. */
  readonly recipe?: Partial<EngineOptions>;
  readonly type?: Partial<SubagentType>;
  readonly own?: AgentToolOptions;
  /** Further arguments of the one call. */
  readonly args?: { readonly [key: string]: JsonValue };
}

export interface AgentBench {
  readonly turn: Turn;
  readonly host: SimulatedHost;
  readonly child: ScriptedModel;
  /** How often the recipe was asked. */
  spawns(): number;
  /** The first result in the parent's transcript: `completed: text|text`. */
  answer(): string;
  updates(): JsonValue[];
}

/** By default the parent calls Agent with the prompt "Do it." and then says "done". */
export function startAgent(setup: AgentSetup): AgentBench {
  const { child: steps, recipe, type, own, args, tools, ...options } = setup;
  const host = setup.host ?? simulatedHost();
  const child = scriptedModel(steps, { host });
  let spawns = 0;
  const engine = () => {
    spawns++;
    return { transformers: [], model: child, host, ...recipe };
  };
  const tool = agentTool({ helper: { description: 'Helps.', engine, ...type } }, own);
  const turn = startTurn({
    tools: [tool, ...(tools ?? [])],
    script: [{ calls: [{ name: tool.name, args: { prompt: 'Do it.', ...args } }] }, { text: 'done' }],
    ...options,
    host,
  });
  return {
    turn,
    host,
    child,
    spawns: () => spawns,
    answer: () => {
      const [first] = turn.results();
      return `${first?.status}: ${(first?.content ?? []).map((block) => ('text' in block ? block.text : block.type)).join('|')}`;
    },
    updates: () => turn.all('toolCall.progress').map(({ update }) => update),
  };
}
