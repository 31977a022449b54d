// The demo model: no AI, no key, no network. Rules over the user's words call the tools it is given and sum up what
// they really answered, streamed word by word as a provider would. choose-model.ts hands it to the command.

import { ModelError, type Model, type ModelRequest, type StreamEvent, type ToolDefinition } from '../index.ts';
import { answerEvents, isDelta } from './demo/answer-events.ts';
import { skillsOf } from './demo/capabilities.ts';
import { planStep } from './demo/plan.ts';
import { seededRandom } from './demo/random.ts';
import type { Step } from './demo/script.ts';

/** Its name wherever it is shown. */
export const demoModelId = 'demo model (scripted, no AI)';

/** How the demo model behaves. */
export interface DemoModelOptions {
  /** Same seed and same request, same answer. Default 1. */
  readonly seed?: number;
  /** Milliseconds between words, half to one and a half times. Default 15; 0 = no waiting. */
  readonly paceMs?: number;
  /** Waits between words; must reject once the signal is aborted. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A model that keeps nothing between calls: all it knows is in the request. Refuses structured output with
 * `model.rejected`.
 */
export function demoModel(options: DemoModelOptions = {}): Model {
  const { seed = 1, paceMs = 15, wait = pause } = options;
  return {
    id: demoModelId,
    info: { contextTokens: 128_000, input: ['text'] },
    async *stream(request, { signal }): AsyncGenerator<StreamEvent> {
      if (request.output !== undefined) {
        throw new ModelError(
          'model.rejected',
          `The ${demoModelId} cannot answer by a schema. Ask without "output", or use a real model.`,
          { retryable: false },
        );
      }
      const random = seededRandom(seed, request.messages.length);
      for (const event of answerEvents(stepFor(request, random), { modelId: demoModelId, request, random })) {
        if (paceMs > 0 && isDelta(event)) await wait(paceMs * (0.5 + random()), signal);
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}

function stepFor(request: ModelRequest, random: () => number): Step {
  const { toolChoice } = request;
  const tools =
    toolChoice === 'none'
      ? []
      : typeof toolChoice === 'object'
        ? request.tools.filter(({ name }) => name === toolChoice.tool)
        : request.tools;
  const step = planStep(request.messages, tools, random);
  const mustCall = toolChoice === 'required' || typeof toolChoice === 'object';
  return mustCall && step.type === 'answer' ? (anyCall(tools) ?? step) : step;
}

// Told to call a tool where no rule wants one: look around, which is harmless.
function anyCall(tools: readonly ToolDefinition[]): Step | undefined {
  const { list, read } = skillsOf(tools);
  const call = list?.call({ glob: '**/*' }) ?? read?.call({ file: 'README.md' });
  return call && { type: 'call', thinking: 'I was told to call a tool.', say: 'I will look around.', calls: [call] };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    const leave = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
  });
}
