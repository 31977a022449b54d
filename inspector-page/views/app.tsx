// The page: actors, one of them in full, and what was said, at the present or at any moment before.

import { useEffect, useState } from 'react';
import type { OpenActors } from '../record/actor-rows.ts';
import type { Actor } from '../record/message-log.ts';
import { useVersion, type Store } from '../record/store.ts';
import { transcriptOf } from '../record/transcript.ts';
import { ActorTree } from './actor-tree.tsx';
import { ActorView } from './actor-view.tsx';
import { Guarded } from './guarded.tsx';
import { SequenceMarkers, SequenceView } from './sequence-view.tsx';
import { stepFrom, Timeline } from './timeline.tsx';
import { TopBar } from './top-bar.tsx';
import { TranscriptView } from './transcript-view.tsx';

const panels = ['actors', 'chart', 'transcript', 'sequence'] as const;
type Panel = (typeof panels)[number];

/** Everything. */
export function App({ store }: { readonly store: Store }) {
  useVersion(store);
  const { log } = store;
  const [selectedId, select] = useState<string | undefined>();
  const [open, setOpen] = useState<OpenActors>(new Map());
  /** Undefined: live. */
  const [paused, setPaused] = useState<number | undefined>();
  const [panel, setPanel] = useState<Panel>('chart');

  const isLive = paused === undefined;
  useEffect(() => store.hold(!isLive), [store, isLive]);
  const place = isLive ? log.last : Math.min(paused, log.last);
  const selected = log.actor(selectedId) ?? log.roots[0];
  const transcript = transcriptOf(selected);
  const side = panel === 'sequence' ? 'sequence' : 'transcript';
  const onSelect = (actor: Actor) => select(actor.id);
  const onOpen = (actor: Actor, isOpen: boolean) => setOpen(new Map(open).set(actor.id, isOpen));

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement && event.target.type !== 'range') return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const number = ['1', '2', '3', '4'].indexOf(event.key);
      const chosen = panels[number];
      if (chosen !== undefined) setPanel(chosen);
      else if (event.key === ' ' && !(event.target instanceof HTMLButtonElement)) setPaused(isLive ? place : undefined);
      else if (event.key === 'ArrowLeft') setPaused(stepFrom(log, place, -1));
      else if (event.key === 'ArrowRight') setPaused(stepFrom(log, place, 1));
      else if (event.key === 'Home') setPaused(0);
      else if (event.key === 'End') setPaused(undefined);
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [log, place, isLive]);

  return (
    <div className="app" data-panel={panel}>
      <TopBar store={store} />
      <main>
        <section className="panel panel-actors" aria-label="Actors">
          <ActorTree log={log} place={place} open={open} selected={selected} onSelect={onSelect} onOpen={onOpen} />
        </section>
        <section className="panel panel-chart" aria-label="Chosen actor">
          {selected === undefined ? (
            <p className="empty">Nothing has happened yet.</p>
          ) : (
            <Guarded of={`${selected.id} ${place}`}>
              <ActorView actor={selected} place={place} onSelect={onSelect} />
            </Guarded>
          )}
        </section>
        <section className="panel panel-side" aria-label="Conversation" data-side={side}>
          <div className="side-tabs" role="group" aria-label="Conversation as">
            {(['transcript', 'sequence'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={side === name} onClick={() => setPanel(name)}>
                {titleOf(name)}
              </button>
            ))}
          </div>
          {side === 'transcript' && transcript !== undefined && (
            <Guarded of={`${transcript.id} ${place}`}>
              <TranscriptView actor={transcript} place={place} now={log.entries[place]?.at ?? 0} isLive={isLive} />
            </Guarded>
          )}
          {selected === undefined && <p className="empty">What is said appears here.</p>}
          {side === 'transcript' && transcript === undefined && selected !== undefined && (
            <p className="empty">
              No transcript belongs to this actor; operatives and turns have one. (Programs that use another inspector’s
              own <code>inspect</code> show none: <code>withTranscript(…)</code> of turnchart/inspect adds it.)
            </p>
          )}
          {side === 'sequence' && selected !== undefined && (
            <Guarded of={`${selected.root.id} ${place}`}>
              <SequenceView
                log={log}
                place={place}
                isLive={isLive}
                root={selected.root}
                onPlace={setPaused}
                onSelect={onSelect}
              />
            </Guarded>
          )}
        </section>
      </main>
      <nav className="tabs" aria-label="Views">
        {panels.map((name) => (
          <button key={name} type="button" aria-current={panel === name} onClick={() => setPanel(name)}>
            {titleOf(name)}
          </button>
        ))}
      </nav>
      <Timeline log={log} place={place} isLive={isLive} onPlace={setPaused} />
      <SequenceMarkers />
    </div>
  );
}

function titleOf(name: string): string {
  return name.replace(/^./, (letter) => letter.toUpperCase());
}
