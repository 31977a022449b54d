// A piece of JSON, to be opened level by level.

import { useState } from 'react';
import { clipped } from './clipped.ts';

const shownMembers = 100;

/** The value; objects and lists are closed below the given depth. */
export function JsonView({
  value,
  name,
  open = 1,
}: {
  readonly value: unknown;
  readonly name?: string;
  readonly open?: number;
}) {
  const [isOpen, setOpen] = useState(open > 0);
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json">
        {name !== undefined && <span className="json-name">{name}: </span>}
        <span className={`json-${typeof value}`}>{clipped(String(value))}</span>
      </div>
    );
  }
  const members = Object.entries(value);
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) {
    return (
      <div className="json">
        {name !== undefined && <span className="json-name">{name}: </span>}
        {before}
        {after}
      </div>
    );
  }
  if (name === undefined) return <Members value={members} open={open} />;
  return (
    <div className="json">
      <button type="button" className="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        <span className="json-name">{name}: </span>
        {!isOpen && (
          <span className="json-closed">
            {before} {members.length} {after}
          </span>
        )}
      </button>
      {isOpen && (
        <div className="json-members">
          <Members value={members} open={open} />
        </div>
      )}
    </div>
  );
}

function Members({ value, open }: { readonly value: readonly (readonly [string, unknown])[]; readonly open: number }) {
  return (
    <>
      {value.slice(0, shownMembers).map(([key, member]) => (
        <JsonView key={key} name={key} value={member} open={open - 1} />
      ))}
      {value.length > shownMembers && <div className="json">… {value.length - shownMembers} more</div>}
    </>
  );
}
