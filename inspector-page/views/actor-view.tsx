// One actor: its chart, its state, and what it can take now.

import { useMemo } from 'react';
import { flatten } from '../../src/inspect/chart-config.ts';
import { ChartView } from '../chart/chart-view.tsx';
import { activeStates } from '../record/active-states.ts';
import { labelOf, stateText, statusOf, toneOf } from '../record/actor-rows.ts';
import { countUpTo, type Actor } from '../record/message-log.ts';
import { JsonView } from './json-view.tsx';

/** Chart above, facts below. */
export function ActorView({
  actor,
  place,
  onSelect,
}: {
  readonly actor: Actor;
  readonly place: number;
  readonly onSelect: (actor: Actor) => void;
}) {
  const count = countUpTo(actor.snapshots, place);
  const now = actor.snapshots[count - 1];
  const status = statusOf(actor, place);
  const lit = useMemo(() => {
    const last = actor.snapshots[count - 1];
    const before = actor.snapshots[count - 2];
    return {
      active: activeStates(last?.snapshot?.value),
      before: before === undefined ? undefined : activeStates(before.snapshot?.value),
      event: last?.event?.type,
    };
  }, [actor, count]);
  const states = useMemo(() => flatten(actor.chart.states), [actor.chart]);
  const active = states.filter(({ key }) => lit.active.has(key));
  const takes = [...active.toReversed().flatMap(({ transitions }) => transitions), ...actor.chart.transitions];
  const { name, detail } = labelOf(actor, place);
  const state = stateText(actor, place, status);
  const hasChart = actor.chart.states.length > 0;
  return (
    <div className="actor">
      <header className="actor-head">
        <nav aria-label="Where this actor is">
          {pathOf(actor).map((above) => (
            <button key={above.id} type="button" onClick={() => onSelect(above)}>
              {labelOf(above, place).name}
            </button>
          ))}
        </nav>
        <h2>
          {name}
          {detail !== '' && <small>{detail}</small>}
          <span className={`state-pill is-${toneOf(status, state)}`}>{state}</span>
        </h2>
        <p>{actor.chart.description}</p>
      </header>
      {hasChart ? (
        <ChartView chart={actor.chart} now={lit} />
      ) : (
        <p className="empty no-chart">This actor has no chart: it works until it has settled.</p>
      )}
      <div className="facts" tabIndex={0} role="region" aria-label="Facts">
        {active.length > 0 && (
          <section>
            <h3>Now</h3>
            {active.map((state) => (
              <p key={state.key}>
                <b>{state.name}</b> {state.description}
              </p>
            ))}
          </section>
        )}
        {now?.event !== undefined && now.event.type !== '' && (
          <section>
            <h3>Last event</h3>
            <JsonView value={now.event} open={1} />
          </section>
        )}
        <section>
          <h3>Context</h3>
          <JsonView value={now?.snapshot?.context ?? {}} open={2} />
        </section>
        {now?.snapshot?.output !== undefined && now.snapshot.output !== null && (
          <section>
            <h3>Output</h3>
            <JsonView value={now.snapshot.output} open={2} />
          </section>
        )}
        {now?.snapshot?.error !== undefined && now.snapshot.error !== null && (
          <section>
            <h3>Error</h3>
            <JsonView value={now.snapshot.error} open={2} />
          </section>
        )}
        {takes.length > 0 && (
          <section>
            <h3>Takes now</h3>
            <ul className="takes">
              {takes.slice(0, 100).map((transition, index) => (
                <li key={index}>
                  <code>{transition.event}</code>
                  {transition.guard !== undefined && <span className="guard">if {transition.guard}</span>}
                  <span className="to">{transition.target === undefined ? 'stays' : `→ ${transition.target}`}</span>
                  {transition.actions.length > 0 && <span className="doing">{transition.actions.join(', ')}</span>}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </div>
  );
}

function pathOf(actor: Actor): readonly Actor[] {
  const path: Actor[] = [];
  for (let above = actor.parent; above !== undefined; above = above.parent) path.unshift(above);
  return path;
}
