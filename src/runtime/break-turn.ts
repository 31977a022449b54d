// Ends a turn whose chart died. The chart's own guards and actions never throw; replaced ones, or a host, may.

import type { TurnRecord } from '../services/turn-record.ts';

/** Lands what can be saved: the turn then ends like any other that failed. */
export function breakTurn(record: TurnRecord, error: unknown): void {
  record.seal();
  record.breakDown(error);
  record.conclude('failed');
  record.land();
}
