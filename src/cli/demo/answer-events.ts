// Turns a step into the events a provider would stream: thinking, text and tool input in pieces, usage, a stop reason.

import type { ModelRequest, StopReason, StreamEvent } from '../../index.ts';
import { hashOf } from './random.ts';
import type { Step } from './script.ts';

/** What the events need besides the step. */
export interface AnswerFacts {
  readonly modelId: string;
  readonly request: ModelRequest;
  /** Chance for the sizes of the pieces of tool input. */
  readonly random: () => number;
}

/** All events of the answer, without pauses, ending with `message.end`. `maxOutputTokens` cuts the answer short. */
export function* answerEvents(step: Step, { modelId, request, random }: AnswerFacts): Generator<StreamEvent> {
  const inputTokens = tokensOf(JSON.stringify([request.system, request.messages, request.tools]));
  const limit = request.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  // Unique in the conversation, because message ids are.
  const mark = hashOf(request.messages.at(-1)?.id ?? '').toString(36);
  let outputTokens = 0;
  let isCut = false;
  yield { type: 'message.start', providerId: `demo_${mark}`, model: modelId };
  yield { type: 'usage', usage: { inputTokens, outputTokens } };
  for (const block of blocksOf(step, mark, random)) {
    if (isCut) break;
    yield block.start;
    for (const delta of block.deltas) {
      isCut = outputTokens >= limit;
      if (isCut) break;
      outputTokens += tokensOf(delta.type === 'toolInput.delta' ? delta.json : delta.text);
      yield delta;
    }
    yield block.end;
  }
  const stopReason: StopReason = isCut ? 'maxTokens' : step.type === 'call' ? 'toolUse' : 'endTurn';
  yield { type: 'usage', usage: { inputTokens, outputTokens } };
  yield { type: 'message.end', stopReason };
}

/** Whether the event is a piece of a block: what a provider takes time to produce. */
export function isDelta(event: StreamEvent): event is Delta {
  return event.type === 'text.delta' || event.type === 'thinking.delta' || event.type === 'toolInput.delta';
}

type Delta = Extract<StreamEvent, { type: 'text.delta' | 'thinking.delta' | 'toolInput.delta' }>;

interface SpokenBlock {
  readonly start: StreamEvent;
  readonly deltas: readonly Delta[];
  readonly end: StreamEvent;
}

function blocksOf(step: Step, mark: string, random: () => number): readonly SpokenBlock[] {
  if (step.type === 'answer') return [textBlock(0, step.text)];
  const calls = step.calls.map((call, position): SpokenBlock => {
    const index = position + 2;
    return {
      start: { type: 'toolInput.start', index, id: `call_demo_${mark}_${position + 1}`, name: call.name },
      deltas: pieces(JSON.stringify(call.args), random).map((json) => ({ type: 'toolInput.delta', index, json })),
      end: { type: 'toolInput.end', index },
    };
  });
  return [thinkingBlock(0, step.thinking), textBlock(1, step.say), ...calls];
}

function thinkingBlock(index: number, text: string): SpokenBlock {
  return {
    start: { type: 'thinking.start', index },
    deltas: wordsOf(text).map((word) => ({ type: 'thinking.delta', index, text: word })),
    end: { type: 'thinking.end', index },
  };
}

function textBlock(index: number, text: string): SpokenBlock {
  return {
    start: { type: 'text.start', index },
    deltas: wordsOf(text).map((word) => ({ type: 'text.delta', index, text: word })),
    end: { type: 'text.end', index },
  };
}

// Each word with the white space after it.
function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*/g) ?? [];
}

// 4 to 15 characters each; whole characters, so that no piece ends inside a surrogate pair.
function pieces(json: string, random: () => number): readonly string[] {
  const characters = Array.from(json);
  const cut: string[] = [];
  for (let start = 0; start < characters.length;) {
    const end = start + 4 + Math.floor(random() * 12);
    cut.push(characters.slice(start, end).join(''));
    start = end;
  }
  return cut;
}

// Four characters per token: close enough for a model without real tokens.
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
