// What the types of background tasks and subagents promise. Checked by tsc; nothing here runs.

import type { Tool as AnyTool } from '../../src/index.ts';
import {
  agentTool,
  createBackgroundTasks,
  createConversation,
  createEngine,
  createOperative,
  EngineBuilder,
  taskOutputTool,
  taskStopTool,
  type BackgroundTaskRegistry,
  type BackgroundTool,
  type Conversation,
  type Engine,
  type Model,
  type Operative,
} from '../../src/index.ts';

interface User {
  readonly user: string;
}

declare const model: Model;

const tasks: BackgroundTaskRegistry = createBackgroundTasks({ maxRetained: 10, maxOutputBytes: 1_000 });
const tools: AnyTool[] = [taskOutputTool(tasks), taskStopTool(tasks)];

const agent: BackgroundTool = agentTool(
  {
    builder: { description: 'x', engine: () => EngineBuilder.fromDefaults<User>(model), systemPrompt: 'x' },
    options: { description: 'x', engine: () => ({ model, tools: [] }), allowRecursion: true },
  },
  {
    seed: (prompt, type) => createConversation({ system: `${prompt} ${type.description}` }),
    definition: (definition) => ({ ...definition, description: 'x' }),
    operative: (engine: Engine<never>, conversation: Conversation): Operative<never> =>
      createOperative({ engine, conversation }),
    extractAnswer: (conversation, { reason }) => [conversation.messages.length, reason],
    maxDepth: 2,
    maxParallel: 3,
  },
);

createEngine<User>({ model, tools: [...tools, agent], backgroundTasks: tasks });

// @ts-expect-error -- a recipe needs a model
agentTool({ broken: { description: 'x', engine: () => ({ tools: [] }) } });
