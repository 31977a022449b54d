// The demo model: no AI, no key, no network. It follows rules on the user's words, calls the given tools and sums up their
// real results, streamed word by word like a provider. Used by choose-model.ts.

import { ModelError, type Model, type ModelRequest, type StreamEvent, type ToolDefinition } from '../index.ts';
import { answerEvents, isDelta } from './demo/answer-events.ts';
import { skillsOf } from './demo/capabilities.ts';
import { planStep } from './demo/plan.ts';
import { seededRandom } from './demo/random.ts';
import type { Step } from './demo/script.ts';

/** The demo model's id. */
export const demoModelId = 'demo model (scripted, no AI)';

/** How the demo model behaves. */
export interface DemoModelOptions {
  /** The same seed and request give the same answer. Default 1. */
  readonly seed?: number;
  /** Average milliseconds between words; each pause is 0.5 to 1.5 times as long. Default 15; 0 = no waiting. */
  readonly paceMs?: number;
  /** Waits between words; must reject once the signal is aborted. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A model without memory: all it knows is in the request. Refuses structured output with `model.rejected`.
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
          `The ${demoModelId} cannot follow a schema. Leave out "output", or use a real model.`,
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

// The request demands a call although no rule wants one: look around, which is harmless.
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
