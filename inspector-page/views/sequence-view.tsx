// The sequence: an arrow for every event from who sent it to who got it.

import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Sequence, type SequenceRow } from '../record/sequence.ts';
import { countUpTo, isObject, type Actor, type MessageLog } from '../record/message-log.ts';
import { VirtualList } from './virtual-list.tsx';

const rowHeight = 38;
const laneWidth = 98;
const timeWidth = 66;

interface Props {
  readonly log: MessageLog;
  readonly place: number;
  readonly isLive: boolean;
  readonly root: Actor;
  readonly onPlace: (place: number) => void;
  readonly onSelect: (actor: Actor) => void;
}

/** Rows up to the place one looks at; a click goes to the moment of an event. */
export function SequenceView({ log, place, isLive, root, onPlace, onSelect }: Props) {
  const [filter, setFilter] = useState('');
  const kept = useRef<{ root: Actor; log: MessageLog; sequence: Sequence } | undefined>(undefined);
  if (kept.current?.root !== root || kept.current.log !== log)
    kept.current = { root, log, sequence: new Sequence(root) };
  const { sequence } = kept.current;
  sequence.follow(log);
  const shown = useMemo(() => {
    const words = filter.trim().toLowerCase();
    if (words === '') return sequence.rows;
    return sequence.rows.filter(({ entry }) =>
      `${entry.event?.type} ${entry.actor.name}`.toLowerCase().includes(words),
    );
    // The rows grow in place.
  }, [sequence, sequence.rows.length, filter]);
  const count = isLive ? shown.length : countRows(shown, place);
  const rows = useMemo(() => (isLive ? shown.slice() : shown.slice(0, count)), [shown, shown.length, isLive, count]);
  const width = timeWidth + sequence.lanes.length * laneWidth;
  const start = log.entries[root.born]?.at ?? 0;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const next = event.key === 'ArrowUp' ? shown[count - 2] : shown[count];
    if (next !== undefined) onPlace(resultOf(next));
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="sequence">
      <div className="panel-tools">
        <input
          type="search"
          placeholder="Filter events"
          aria-label="Filter events"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <span className="count">{rows.length === 1 ? '1 event' : `${rows.length.toLocaleString('en')} events`}</span>
      </div>
      <VirtualList
        items={rows}
        keyOf={({ entry }) => String(entry.index)}
        heightOf={() => rowHeight}
        isFixed
        follows={isLive}
        current={isLive ? undefined : rows.length - 1}
        label="Events"
        minWidth={width}
        onKeyDown={onKeyDown}
        header={
          <div className="lanes" style={{ minWidth: width, paddingLeft: timeWidth }}>
            {sequence.lanes.map(({ key, name }) => (
              <span
                key={key}
                className="lane-name"
                style={{ width: laneWidth }}
                title={key === '' ? 'outside of all actors' : key}
              >
                {name}
              </span>
            ))}
          </div>
        }
        row={(row, index) => (
          <SequenceLine
            row={row}
            lanes={sequence.lanes.length}
            start={start}
            isCurrent={!isLive && index === rows.length - 1}
            onClick={() => {
              onPlace(resultOf(row));
              onSelect(row.entry.actor);
            }}
          />
        )}
      />
    </div>
  );
}

function SequenceLine({
  row: { entry, from, to },
  lanes,
  start,
  isCurrent,
  onClick,
}: {
  readonly row: SequenceRow;
  readonly lanes: number;
  readonly start: number;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
}) {
  const x = (position: number) => timeWidth + position * laneWidth + laneWidth / 2;
  const [begin, end] = [x(from.position), x(to.position)];
  const [left, right] = [Math.min(begin, end), Math.max(begin, end)];
  const type = entry.event?.type ?? '';
  const kind = kindOf(type);
  const isStart = type === 'xstate.init';
  const text = isStart ? `start ${entry.actor.name}` : shortType(type);
  const hint = hintOf(entry.event);
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`sequence-row kind-${kind}${isCurrent ? ' current' : ''}`}
      style={{ height: rowHeight }}
      data-event={type}
      title={`${entry.source?.name ?? 'caller'} → ${entry.actor.name}: ${type}`}
      onClick={onClick}
    >
      <span className="time" style={{ width: timeWidth }}>
        {timeText(entry.at - start)}
      </span>
      <svg width={timeWidth + lanes * laneWidth} height={rowHeight} aria-hidden="true">
        {Array.from({ length: lanes }, (_, lane) => (
          <line key={lane} className="life" x1={x(lane)} x2={x(lane)} y1="0" y2={rowHeight} />
        ))}
        {from === to ? (
          <path className="sent" d={`M${left} 20h22v10h-18`} markerEnd="url(#sent-tip)" />
        ) : (
          <line
            className={isStart ? 'sent start' : 'sent'}
            x1={begin}
            x2={end + (end > begin ? -1 : 1)}
            y1="27"
            y2="27"
            markerEnd="url(#sent-tip)"
          />
        )}
      </svg>
      <span
        className="sequence-label"
        style={{ left: left + 6, maxWidth: Math.max(right - left - 8, laneWidth * 1.6) }}
      >
        {text}
        {hint !== '' && <em> {hint}</em>}
      </span>
    </button>
  );
}

/** The arrowheads of all rows, once in the page. */
export function SequenceMarkers() {
  return (
    <svg width="0" height="0" className="hidden-svg" aria-hidden="true">
      <defs>
        <marker
          id="sent-tip"
          viewBox="0 0 8 8"
          refX="7.500"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          orient="auto-start-reverse"
        >
          <path d="M0 0.500 8 4 0 7.500z" className="sent-tip" />
        </marker>
      </defs>
    </svg>
  );
}

function countRows(rows: readonly SequenceRow[], place: number): number {
  return countUpTo(
    rows.map(({ entry }) => entry),
    place,
  );
}

// The moment an event has been dealt with: what one wants to see who asks for the event.
function resultOf({ entry }: SequenceRow): number {
  const snapshot = entry.actor.snapshots.find(
    ({ index, event }) => index > entry.index && event?.type === entry.event?.type,
  );
  return snapshot?.index ?? entry.index;
}

function kindOf(type: string): string {
  if (type.startsWith('xstate.error') || /failed|broke|reset|retrying/i.test(type)) return 'problem';
  if (type.startsWith('xstate.done')) return 'done';
  if (type === 'xstate.init') return 'start';
  if (type.startsWith('message.')) return 'message';
  return 'event';
}

function shortType(type: string): string {
  return type.replace(
    /^xstate\.(done|error)\.actor\.(.+)$/,
    (_, end: string, id: string) => `${id} ${end === 'done' ? 'settled' : 'broke'}`,
  );
}

// A word on what is in it.
function hintOf(event: Readonly<Record<string, unknown>> | undefined): string {
  if (event === undefined) return '';
  const { submission, policy, call, reason, text, output } = event;
  if (isObject(submission)) return `${policy === 'steer' ? '' : `${String(policy)} `}“${String(submission['text'])}”`;
  if (isObject(call)) return String(call['name']);
  if (typeof reason === 'string') return reason;
  if (typeof text === 'string') return text;
  if (isObject(output)) return String(output['reason'] ?? output['kind'] ?? '');
  return '';
}

function timeText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(3)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes}:${((ms % 60_000) / 1_000).toFixed(1).padStart(4, '0')}`;
}
