// The bar below: live or paused, back and forward through all that was told.

import type { Entry, MessageLog } from '../record/message-log.ts';

interface Props {
  readonly log: MessageLog;
  readonly place: number;
  readonly isLive: boolean;
  readonly onPlace: (place: number | undefined) => void;
}

/** The place before or after, at which an actor had taken a step. */
export function stepFrom(log: MessageLog, place: number, direction: 1 | -1): number {
  for (let index = place + direction; index >= 0 && index <= log.last; index += direction) {
    if (log.entries[index]?.kind === 'snapshot') return index;
  }
  return direction === 1 ? log.last : Math.max(0, Math.min(place, log.last));
}

function Icon({ path }: { readonly path: string }) {
  return (
    <svg className="icon" viewBox="0 0 14 14" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** Buttons, and a slider over everything. */
export function Timeline({ log, place, isLive, onPlace }: Props) {
  const entry = log.entries[place];
  const missed = log.last - place;
  return (
    <footer className="timeline" aria-label="History">
      <div className="timeline-buttons">
        <button type="button" onClick={() => onPlace(0)} title="To the beginning (Home)" aria-label="To the beginning">
          <Icon path="M2 2h2v10H2zM12 2v10L5 7z" />
        </button>
        <button
          type="button"
          onClick={() => onPlace(stepFrom(log, place, -1))}
          title="One step back (←)"
          aria-label="One step back"
        >
          <Icon path="M11 2v10L3 7z" />
        </button>
        <button
          type="button"
          className={isLive ? 'live' : 'paused'}
          onClick={() => onPlace(isLive ? place : undefined)}
          title={isLive ? 'Pause (Space)' : 'Go on live (Space)'}
          aria-pressed={!isLive}
        >
          <Icon path={isLive ? 'M3 2h3v10H3zM8 2h3v10H8z' : 'M3 2v10l8-5z'} /> {isLive ? 'Pause' : 'Go live'}
        </button>
        <button
          type="button"
          onClick={() => onPlace(stepFrom(log, place, 1))}
          disabled={isLive}
          title="One step on (→)"
          aria-label="One step on"
        >
          <Icon path="M3 2v10l8-5z" />
        </button>
      </div>
      <input
        type="range"
        min={0}
        max={Math.max(0, log.last)}
        value={Math.max(0, place)}
        onChange={({ target }) => onPlace(Number(target.value))}
        aria-label="Place in history"
        aria-valuetext={entry === undefined ? 'nothing yet' : entryText(entry)}
      />
      <span className="timeline-text">
        {entry === undefined ? 'Nothing yet' : entryText(entry)}
        {!isLive && missed > 0 && <b> {missed.toLocaleString('en')} newer</b>}
      </span>
    </footer>
  );
}

function entryText({ kind, actor, event, index }: Entry): string {
  const number = (index + 1).toLocaleString('en');
  if (kind === 'actor') return `${number} · ${actor.name} is there`;
  if (kind === 'event') return `${number} · ${actor.name} is sent ${event?.type}`;
  return `${number} · ${actor.name} took ${event?.type}`;
}
