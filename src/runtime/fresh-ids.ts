// Message ids that a conversation does not have yet. Called by whoever runs turns.

import { defaultHost, type Host } from '../contracts/host.ts';
import type { TurnSettings } from '../services/settings.ts';

/**
 * The host's id for a new message, unless that is taken, as it may be after a restart of a host that counts. The random
 * ids of the default host are not checked.
 */
export function freshId(host: Host, isTaken: (id: string) => boolean): string {
  const id = host.createId('message');
  return host !== defaultHost && isTaken(id) ? defaultHost.createId('message') : id;
}

/** The settings with a host whose message ids are never taken. */
export function withFreshIds(settings: TurnSettings, isTaken: (id: string) => boolean): TurnSettings {
  const { host } = settings;
  if (host === defaultHost) return settings;
  const createId: Host['createId'] = (kind) => (kind === 'message' ? freshId(host, isTaken) : host.createId(kind));
  return { ...settings, host: { ...host, createId } };
}
