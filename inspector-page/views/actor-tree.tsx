// The tree of actors.

import type { KeyboardEvent } from 'react';
import { actorRows, labelOf, toneOf, type ActorRow, type OpenActors } from '../record/actor-rows.ts';
import type { Actor, MessageLog } from '../record/message-log.ts';
import { VirtualList } from './virtual-list.tsx';

// A finger needs more than a mouse.
const rowHeight = matchMedia('(pointer: coarse)').matches ? 40 : 30;

interface Props {
  readonly log: MessageLog;
  readonly place: number;
  readonly open: OpenActors;
  readonly selected: Actor | undefined;
  readonly onSelect: (actor: Actor) => void;
  readonly onOpen: (actor: Actor, isOpen: boolean) => void;
}

/** Rows one can walk with the arrow keys. */
export function ActorTree({ log, place, open, selected, onSelect, onOpen }: Props) {
  const rows = actorRows(log, place, open, selected);
  const at = rows.findIndex(({ actor }) => actor === selected);
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    const go = (to: ActorRow | undefined) => {
      if (to !== undefined) onSelect(to.actor);
    };
    switch (event.key) {
      case 'ArrowDown':
        go(rows[at + 1]);
        break;
      case 'ArrowUp':
        go(at < 0 ? rows.at(-1) : rows[at - 1]);
        break;
      case 'ArrowRight':
        if (row?.hasChildren === true && !row.isOpen) onOpen(row.actor, true);
        else if (row?.isOpen === true) go(rows[at + 1]);
        break;
      case 'ArrowLeft':
        if (row?.isOpen === true) onOpen(row.actor, false);
        else go(rows.find(({ actor }) => actor === row?.actor.parent));
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  if (rows.length === 0)
    return <p className="empty">No actor yet. Start a turn in the program that printed this address.</p>;
  return (
    <VirtualList
      items={rows}
      keyOf={({ actor }) => actor.id}
      heightOf={() => rowHeight}
      isFixed
      role="tree"
      label="Actors"
      className="tree"
      current={at}
      activeId={selected === undefined ? undefined : `actor-${selected.id}`}
      onKeyDown={onKeyDown}
      row={(row) => (
        <TreeRow
          row={row}
          place={place}
          isSelected={row.actor === selected}
          program={log.programs.size > 1 && row.depth === 0 ? row.actor.program : undefined}
          onSelect={onSelect}
          onOpen={onOpen}
        />
      )}
    />
  );
}

// Deep down there must be room for names.
function indentOf(depth: number): number {
  return 6 + Math.min(depth, 6) * 12 + Math.min(Math.max(depth - 6, 0), 10) * 4;
}

function TreeRow({
  row,
  place,
  isSelected,
  program,
  onSelect,
  onOpen,
}: {
  readonly row: ActorRow;
  readonly place: number;
  readonly isSelected: boolean;
  readonly program: string | undefined;
  readonly onSelect: (actor: Actor) => void;
  readonly onOpen: (actor: Actor, isOpen: boolean) => void;
}) {
  const { actor, depth, status, state, isOpen, hasChildren } = row;
  const { name, detail } = labelOf(actor, place);
  return (
    <div
      id={`actor-${actor.id}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? isOpen : undefined}
      className={`tree-row is-${toneOf(status, state)}${isSelected ? ' selected' : ''}`}
      style={{ height: rowHeight, paddingLeft: indentOf(depth) }}
      data-actor={actor.name}
      data-state={state}
      title={`${name}${detail === '' ? '' : ` (${detail})`} · ${state}\n${actor.chart.description}`}
      onClick={() => onSelect(actor)}
      onDoubleClick={() => onOpen(actor, !isOpen)}
    >
      <button
        type="button"
        tabIndex={-1}
        className="twisty"
        aria-label={isOpen ? 'Close' : 'Open'}
        hidden={!hasChildren}
        onClick={(event) => {
          event.stopPropagation();
          onOpen(actor, !isOpen);
        }}
      >
        {isOpen ? '▾' : '▸'}
      </button>
      <span className="dot" aria-hidden="true" />
      <span className="tree-name">{name}</span>
      {program !== undefined && <span className="tree-detail">{program}</span>}
      <span className="tree-state">{state}</span>
    </div>
  );
}
