// The end of a turn whose chart died, which its guards and actions are written never to cause.

import type { TurnRecord } from '../services/turn-record.ts';

/** Lands what can be saved: the turn then ends as any other that failed. */
export function breakTurn(record: TurnRecord, error: unknown): void {
  record.seal();
  record.breakDown(error);
  record.conclude('failed');
  record.land();
}
