// What an app configures about its subagents: their types, and the steps it replaces.

import type { Engine, EngineOptions } from '../../contracts/engine.ts';
import type { TurnResult } from '../../contracts/events.ts';
import type { ToolDefinition } from '../../contracts/model.ts';
import type { Operative, OperativeOptions } from '../../contracts/operative.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { EngineBuilder } from '../../runtime/builders.ts';

/** A type of subagent: how its engine is made. */
export interface SubagentType {
  /** What the model reads about it. */
  readonly description: string;
  /** Called for each subagent. Its tools get the turn context of the parent's turn. */
  // oxlint-disable-next-line typescript/no-explicit-any -- an engine's context is its own affair; only the host knows that it is the parent's
  readonly engine: () => EngineOptions<any> | EngineBuilder<any>;
  readonly systemPrompt?: string;
  /** Default false: a tool named "Agent", or with the name of this tool, is removed from the engine. */
  readonly allowRecursion?: boolean;
}

/** Options of a subagent's operative besides engine and conversation: pass them on if you make your own. */
export type SubagentOperativeOptions = Pick<OperativeOptions, 'approve' | 'inspectUnder'>;

/** Steps that can be replaced, and limits. */
export interface AgentToolOptions {
  /**
   * The scratch conversation. Default: the type's system prompt and the prompt as the user's message. If yours does not
   * end with something to answer, the prompt is submitted to it.
   */
  readonly seed?: (prompt: string, type: SubagentType) => Conversation;
  /** The tool's published definition. It reads the arguments `prompt` and, with several types, `subagent_type`. */
  readonly definition?: (definition: ToolDefinition) => ToolDefinition;
  /** Default: `createOperative({ engine, conversation, ...own })`. It is closed when its turn has ended. */
  readonly operative?: (engine: Engine, conversation: Conversation, own: SubagentOperativeOptions) => Operative;
  /**
   * What the parent's model reads, whatever the turn's reason is. Default: the last text the subagent said. If the turn
   * did not complete, the answer becomes part of an error that says why, unless it is a `ToolResult`. May be async.
   */
  readonly extractAnswer?: (conversation: Conversation, result: TurnResult) => unknown;
  /** Most levels of subagents below the top conversation. Default 5. */
  readonly maxDepth?: number;
  /** Most subagents of one conversation that work at once; others wait. Default 8. */
  readonly maxParallel?: number;
  /** Default true: calls of one message run in parallel. Use false if subagents would disturb each other. */
  readonly isConcurrencySafe?: boolean;
}
