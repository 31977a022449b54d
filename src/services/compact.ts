// The service of `compacting`: the engine's compactor summarises the older part of the transcript.

import type { CompactFacts, OperativeScope } from '../machines/operative.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import { runCompaction } from './apply-transformers.ts';
import type { TurnRecord } from './turn-record.ts';

/** What the runtime's scope offers besides what the chart calls. */
export interface CompactScope extends OperativeScope {
  /** What a compaction works on; undefined if nothing can compact. */
  compaction(): Compaction | undefined;
}

/** What a compaction works on. */
export interface Compaction {
  readonly record: TurnRecord;
  readonly instructions: string | undefined;
  /** The compaction itself has appended something; messages of a claim that ends meanwhile do not count. */
  hasGained(): boolean;
}

/** Settles when the compactor has answered; a failure is announced and gains nothing. */
export const compact: ServiceLogic<OperativeScope, CompactFacts> = serviceLogic(
  (given, actor) => {
    const scope = given as CompactScope; // only the runtime provides this service, and it makes the scope
    const compaction = scope.compaction();
    const compactor = compaction?.record.settings.compactor;
    if (compaction === undefined || compactor === undefined) {
      actor.settle({ gained: false });
      return undefined;
    }
    const { record, instructions } = compaction;
    return runCompaction(record, compactor, instructions, () => actor.settle({ gained: compaction.hasGained() }));
  },
  { id: 'compact', description: 'Summarises the older part of the transcript.' },
);
