// The conversation: messages with tool calls and marks, and the sums over it.

import { memo, useMemo, useState } from 'react';
import type { Actor } from '../record/message-log.ts';
import type { Figures, Line, Mark, MessageLine, ShownCall } from '../record/transcript-lines.ts';
import { TranscriptReader } from '../record/transcript.ts';
import { clipped } from './clipped.ts';
import { VirtualList } from './virtual-list.tsx';

const markTexts: Readonly<Record<Mark, string>> = {
  steered: '↪ steered',
  late: 'late, waits',
  held: 'for the next turn',
  waiting: 'waits for the next model call',
  cut: 'cut off',
  streaming: 'writing…',
  summary: 'summary',
};

const markHints: Readonly<Record<Mark, string>> = {
  steered: 'Sent while the turn ran; put in before the next model call.',
  late: 'Came too late for the turn it was sent to. It is in the transcript, and nothing starts by itself.',
  held: 'Held back for the next turn (policy queue).',
  waiting: 'Accepted, and not yet in the transcript.',
  cut: 'The answer was cut off; what was said is kept.',
  streaming: 'The model is writing this.',
  summary: 'What came before was summarised.',
};

/** Of the conversation an actor belongs to. */
export function TranscriptView({
  actor,
  place,
  now,
  isLive,
}: {
  readonly actor: Actor;
  readonly place: number;
  /** The time there. */
  readonly now: number;
  readonly isLive: boolean;
}) {
  const reader = useMemo(() => new TranscriptReader(actor), [actor]);
  const { lines, figures } = reader.at(place, now);
  return (
    <div className="transcript">
      <FigureStrip figures={figures} />
      <VirtualList
        items={lines}
        keyOf={({ key }) => key}
        heightOf={estimate}
        follows={isLive}
        current={isLive ? undefined : lines.length - 1}
        label="Transcript"
        row={(line) =>
          line.type === 'note' ? <p className={`note note-${line.kind}`}>{line.text}</p> : <Message line={line} />
        }
      />
    </div>
  );
}

function FigureStrip({ figures }: { readonly figures: Figures }) {
  return (
    <dl className="figures">
      <Figure name="turns" value={String(figures.turns)} />
      <Figure name="model calls" value={String(figures.iterations)} />
      <Figure name="tool calls" value={String(figures.calls)} />
      <Figure name="model time" value={durationText(figures.modelMs)} />
      <Figure name="tokens in" value={tokenText(figures.inputTokens)} />
      <Figure name="of them cached" value={tokenText(figures.cachedTokens)} />
      <Figure name="tokens out" value={tokenText(figures.outputTokens)} />
      <Figure name="tool time" value={durationText(figures.toolMs)} />
    </dl>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const Message = memo(function Message({ line }: { readonly line: MessageLine }) {
  const isOpen = line.marks.some((mark) => mark === 'waiting' || mark === 'held') && line.index >= 0;
  return (
    <article className={`message role-${line.role}${isOpen ? ' pending' : ''}`} data-marks={line.marks.join(' ')}>
      <header>
        <span className="role">{line.role}</span>
        {line.marks.map((mark) => (
          <span key={mark} className={`mark mark-${mark}`} title={markHints[mark]}>
            {markTexts[mark]}
          </span>
        ))}
      </header>
      {line.blocks.map((block, position) =>
        block.type === 'call' ? (
          <Call key={block.id} call={block} />
        ) : (
          <p key={position} className={`block block-${block.type}`}>
            {clipped(block.text)}
          </p>
        ),
      )}
    </article>
  );
});

function Call({ call }: { readonly call: ShownCall }) {
  const [isOpen, setOpen] = useState(false);
  const { name, args, status, result, durationMs } = call;
  const brief = args.slice(0, 300).replaceAll(/\s+/g, ' ');
  return (
    <div className={`call call-${status.replaceAll(' ', '-')}`} data-call={name} data-status={status}>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="call-name" title={name}>
          {name}
        </span>
        <span className="call-args">{brief === '{}' ? '' : brief}</span>
        <span className="call-status">
          {status}
          {durationMs !== undefined && durationMs > 0 && ` · ${durationText(durationMs)}`}
        </span>
      </button>
      {isOpen && (
        <div className="call-details">
          <h4>Arguments</h4>
          <pre>{clipped(args)}</pre>
          {result !== undefined && (
            <>
              <h4>Result</h4>
              <pre>{clipped(result)}</pre>
            </>
          )}
        </div>
      )}
    </div>
  );
}

function estimate(line: Line): number {
  if (line.type === 'note') return 33;
  let height = 46;
  for (const block of line.blocks)
    height += block.type === 'call' ? 40 : 8 + 21 * Math.ceil((block.text.length + 1) / 52);
  return height;
}

function tokenText(tokens: number): string {
  return tokens < 10_000 ? tokens.toLocaleString('en') : `${(tokens / 1_000).toFixed(1)}k`;
}

function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
