// Three levels of agents whose every step a test lets happen, and what must hold once they were stopped.

import assert from 'node:assert/strict';
import type { BackgroundTaskRegistry } from '../../../src/contracts/background-task.ts';
import type { Model, ModelRequest, StreamEvent } from '../../../src/contracts/model.ts';
import type { Operative } from '../../../src/contracts/operative.ts';
import type { Tool } from '../../../src/contracts/tool.ts';
import { createBackgroundTasks } from '../../../src/runtime/background-tasks.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { simulatedHost, verifyEvents, verifyTranscript } from '../../../src/testing/index.ts';
import { agentTool } from '../../../src/tools/agent/agent-tool.ts';
import { toolOf } from '../../runtime/turn-bench.ts';

type Gate = (what: string) => Promise<void>;

/** How tools take their signal: `heeds` ends with it, `deaf` never ends, `quick` ends when its gate opens. */
export type Manners = 'heeds' | 'deaf' | 'quick';

const levels = ['root', 'middle', 'leaf'] as const;

/** A root whose model calls two agents, each of which calls two. */
export class Tree {
  readonly host = simulatedHost();
  readonly operatives: Operative[] = [];
  readonly root: Operative;
  readonly #gate: Gate;
  readonly #manners: Manners;
  readonly #events = new Map<Operative, Parameters<typeof verifyEvents>[0][number][]>();
  /** Model calls that were begun and neither ended nor left. */
  speaking = 0;
  modelCalls = 0;
  /** Signals of tools that have not settled. */
  readonly working = new Set<AbortSignal>();

  /** The root's agents run in the background where there is a registry. */
  readonly tasks: BackgroundTaskRegistry | undefined;

  constructor(gate: Gate, manners: Manners, isBackground = false) {
    this.#gate = gate;
    this.#manners = manners;
    const { host } = this;
    this.tasks = isBackground ? createBackgroundTasks({ host, stopGraceMs: 300 }) : undefined;
    const { tasks } = this;
    const engine = createEngine({ ...this.#recipe(0), ...(tasks === undefined ? {} : { backgroundTasks: tasks }) });
    this.root = this.#note(createOperative({ engine }));
  }

  #note(operative: Operative): Operative {
    this.operatives.push(operative);
    const events: Parameters<typeof verifyEvents>[0][number][] = [];
    this.#events.set(operative, events);
    operative.subscribe((event) => events.push(event));
    return operative;
  }

  #recipe(level: number) {
    const look = toolOf(
      'look',
      async (_args, { signal }) => {
        this.working.add(signal);
        await this.#gate(`${levels[level]} look`);
        if (this.#manners === 'deaf') await new Promise(() => undefined);
        if (this.#manners === 'heeds' && !signal.aborted) {
          await Promise.race([
            this.#gate(`${levels[level]} works`),
            new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
          ]);
        }
        this.working.delete(signal);
        return 'seen';
      },
      { isConcurrencySafe: true },
    );
    const tools: Tool[] = level < 2 ? [look, this.#agent(level)] : [look];
    return { transformers: [], host: this.host, model: this.#model(level), tools };
  }

  #agent(level: number): Tool {
    return agentTool(
      { next: { description: 'x', allowRecursion: true, engine: () => this.#recipe(level + 1) } },
      { operative: (engine, conversation, own) => this.#note(createOperative({ engine, conversation, ...own })) },
    );
  }

  #model(level: number): Model {
    return { id: `${levels[level]}`, stream: (request) => this.#speak(level, request) };
  }

  async *#speak(level: number, request: ModelRequest): AsyncGenerator<StreamEvent> {
    this.speaking++;
    this.modelCalls++;
    try {
      yield { type: 'message.start' };
      await this.#gate(`${levels[level]} speaks`);
      const names = request.messages.length > 1 ? [] : level < 2 ? ['look', 'Agent', 'Agent'] : ['look'];
      yield { type: 'text.start', index: 0 };
      yield { type: 'text.delta', index: 0, text: `${levels[level]} says` };
      yield { type: 'text.end', index: 0 };
      for (const [at, name] of names.entries()) {
        const index = at + 1;
        yield { type: 'toolInput.start', index, id: `call_${index}`, name };
        yield { type: 'toolInput.delta', index, json: JSON.stringify({ prompt: 'go', run_in_background: true }) };
        yield { type: 'toolInput.end', index };
      }
      yield { type: 'message.end', stopReason: names.length > 0 ? 'toolUse' : 'endTurn' };
    } finally {
      this.speaking--;
    }
  }

  /** What must hold once the root has been stopped and its grace time is over. */
  async check(): Promise<void> {
    await this.host.advance(1_000);
    for (const { state } of this.operatives.slice(1)) assert.equal(state, 'closed');
    assert.ok(['idle', 'closed'].includes(this.root.state), this.root.state);
    for (const { conversation } of this.operatives) verifyTranscript(conversation);
    for (const events of this.#events.values()) verifyEvents(events);
    // What has not settled is deaf, and was told.
    for (const { aborted } of this.working) assert.ok(aborted);
    assert.deepEqual([this.speaking, this.host.pendingTimers()], [0, 0]);
    const { modelCalls } = this;
    await this.host.advance(1_000);
    assert.equal(this.modelCalls, modelCalls);
  }
}
