// What an app says about its subagents: their types, and the steps it replaces.

import type { Engine, EngineOptions } from '../../contracts/engine.ts';
import type { TurnResult } from '../../contracts/events.ts';
import type { ToolDefinition } from '../../contracts/model.ts';
import type { Operative, OperativeOptions } from '../../contracts/operative.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { EngineBuilder } from '../../runtime/builders.ts';

/** A kind of subagent: a complete recipe of an engine. */
export interface SubagentType {
  /** What the model is told of it. */
  readonly description: string;
  /** Asked at each spawn. Its tools are wired to whatever turn context the parent's turn has. */
  // oxlint-disable-next-line typescript/no-explicit-any -- an engine's context is its own affair; only the host knows that it is the parent's
  readonly engine: () => EngineOptions<any> | EngineBuilder<any>;
  readonly systemPrompt?: string;
  /** Default false: a tool named "Agent", or as this tool is, is taken out of what `engine` gives. */
  readonly allowRecursion?: boolean;
}

/** What the default operative of a subagent is made with besides engine and conversation: pass it on in one of your own. */
export type SubagentOperativeOptions = Pick<OperativeOptions, 'approve' | 'inspectUnder'>;

/** Steps that can be replaced, and bounds. */
export interface AgentToolOptions {
  /**
   * The scratch conversation. Default: the type's system prompt and the prompt as the user's message. Where yours does not
   * end with something to answer, the prompt is submitted to it.
   */
  readonly seed?: (prompt: string, type: SubagentType) => Conversation;
  /** The tool's published definition. The arguments `prompt` and, with several types, `subagent_type` are what it reads. */
  readonly definition?: (definition: ToolDefinition) => ToolDefinition;
  /** Default: `createOperative({ engine, conversation, ...own })`. It is closed when its turn has ended. */
  readonly operative?: (engine: Engine, conversation: Conversation, own: SubagentOperativeOptions) => Operative;
  /**
   * What the parent's model reads, for every reason a turn can end with. Default: the last text the subagent said. Unless
   * it is a `ToolResult`, the answer of a turn that did not complete is framed as an error that says why. May be async.
   */
  readonly extractAnswer?: (conversation: Conversation, result: TurnResult) => unknown;
  /** Levels of subagents below the conversation that has no parent. Default 5. */
  readonly maxDepth?: number;
  /** Subagents of one conversation that work at once; others wait. Default 8. */
  readonly maxParallel?: number;
  /** Default true: calls of one message run side by side. False where subagents would get into each other's way. */
  readonly isConcurrencySafe?: boolean;
}
