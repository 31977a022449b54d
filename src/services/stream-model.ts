// The service of `streaming`: one attempt at the model's answer, and what is to be done when it fails.

import { ModelError, type TurnchartError } from '../contracts/errors.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import type { TurnFacts, TurnScope } from '../machines/turn.ts';
import { tokensOf } from '../conversation/tally.ts';
import { calibrate, overheadTokens } from '../conversation/tokens.ts';
import { callModel, type CallOutcome } from './call-model.ts';
import type { Fold } from './fold.ts';
import { nextTry } from './retry.ts';
import { tellTogether } from './transcript.ts';
import { recordOf, type TurnRecord } from './turn-record.ts';

/** Streams one attempt to the readers and settles with the answer in the transcript, or with what comes next. */
export const streamModel: ServiceLogic<TurnScope, TurnFacts> = serviceLogic(
  (scope, actor) => {
    const record = recordOf(scope);
    const { events } = record;
    let isOver = false; // a model may fail before the call returns
    const call = callModel(
      record.model,
      record.request(),
      {
        host: record.settings.host,
        idleTimeoutMs: record.settings.idleTimeoutMs,
        messageId: record.settings.host.createId('message'),
        onEvent: (event) => events.push(event),
      },
      (outcome) => {
        isOver = true;
        actor.settle(record.facts(concludeSafely(record, outcome)));
      },
    );
    if (!isOver) record.fold = call.fold;
    return () => call.abandon();
  },
  { id: 'streamModel', description: 'One call of the model.' },
);

// Nothing else would report a throw here, such as that of a host's `random`, and the turn would wait forever.
function concludeSafely(record: TurnRecord, outcome: CallOutcome): TurnFacts['kind'] {
  try {
    return conclude(record, outcome);
  } catch (thrown) {
    record.breakDown(thrown);
    // The turn's end would tell readers to discard this message, of which they have seen nothing.
    if (outcome.kind === 'failed' && !outcome.shown) record.fold = undefined;
    return 'gaveUp';
  }
}

function conclude(record: TurnRecord, outcome: CallOutcome): TurnFacts['kind'] {
  const { fold } = outcome;
  record.count(fold.usage);
  if (outcome.kind === 'failed') return failed(record, outcome.error, outcome.shown);
  record.lastUsage = fold.usage;
  if (fold.usage !== undefined && record.settings.stages.beforeIteration) learnFrom(record, fold.usage.inputTokens);
  if (fold.stopReason === 'contextOverflow') return cutByContext(record, fold);
  record.settleAnswer(fold.message(), fold.stopReason);
  return 'answered';
}

// Compares what the provider counted for this request with the estimate.
function learnFrom({ conversation, settings, view }: TurnRecord, counted: number): void {
  const { system, messages } = view ?? conversation;
  const overhead = overheadTokens(system) + overheadTokens(settings.definitions);
  calibrate(conversation, counted, tokensOf(messages) + overhead);
}

function failed(record: TurnRecord, error: TurnchartError, shown: boolean): TurnFacts['kind'] {
  const { events } = record;
  const next = nextTry(record, error);
  record.fold = undefined;
  if (next !== undefined) {
    record.modelIndex = next.modelIndex;
    record.attempt = next.attempt;
    record.retryDelayMs = next.delayMs;
  }
  tellTogether(events, () => {
    if (next !== undefined) {
      events.push({ type: 'stream.retrying', attempt: next.attempt, delayMs: next.delayMs, error });
    }
    if (shown) events.push({ type: 'stream.reset' });
  });
  if (next !== undefined) return 'retry';
  record.fail(error);
  return error.code === 'model.contextOverflow' ? 'overflow' : 'gaveUp';
}

// The context window filled up while the model wrote. The first time the context is re-shaped and the model asked
// again; after that the text is kept, without calls that may be incomplete.
function cutByContext(record: TurnRecord, fold: Fold): TurnFacts['kind'] {
  const text = `The model "${record.model.id}" stopped because its context window is full. Use transformers that shorten the context, or a model with a larger window.`;
  const error = new ModelError('model.contextOverflow', text, { retryable: false });
  const mayReshape = !record.isReshaped && record.settings.stages.beforeIteration;
  const partial = mayReshape ? undefined : fold.partial('contextOverflow');
  if (partial === undefined) return failed(record, error, true);
  record.fail(error);
  record.settleAnswer(partial, 'contextOverflow');
  return 'overflow';
}
