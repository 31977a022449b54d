// Folds the events of a conversation into lines and sums. transcript.ts feeds it.

import { isObject, type Entry, type EventData } from './message-log.ts';
import { contentText, countOf, errorOf, jsonOf, numberOf, textOf } from './reading.ts';
import type { Line, Mark, MessageLine, NoteLine, ShownBlock } from './transcript-lines.ts';
import { addUsage, noUsage, usageOf } from './usage.ts';

interface OpenMessage {
  readonly key: string;
  readonly role: string;
  readonly content: readonly unknown[];
  readonly marks: Set<Mark>;
  readonly index: number;
  /** As it was shown last; none when something about it has changed. */
  shown: MessageLine | undefined;
}

interface CallState {
  status: string;
  result: string | undefined;
  durationMs: number | undefined;
}

const asked: CallState = { status: 'asked', result: undefined, durationMs: undefined };

/** The events of one conversation, folded. */
export class Fold {
  /** The message of each call. */
  readonly #owners = new Map<string, OpenMessage>();
  readonly sums = { turns: 0, iterations: 0, calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  #lines: (OpenMessage | NoteLine)[] = [];
  readonly #calls = new Map<string, CallState>();
  readonly #messages = new Map<string, OpenMessage>();
  readonly #waiting = new Map<string, OpenMessage>();
  /** Of the message being written, of the running turn, and of the turns before. */
  #message = noUsage;
  #turn = noUsage;
  #before = noUsage;
  #turnCalls = 0;
  #callsBefore = 0;
  #streamed = '';
  #streamedAt = 0;
  #notes = 0;

  // What was sent to the operative: it waits until the transcript has it.
  submitted(entry: Entry | undefined): void {
    const event = entry?.event;
    if (entry === undefined || event?.type !== 'message.submit' || event['policy'] === 'reject') return;
    const submission = event['submission'];
    if (!isObject(submission)) return;
    const id = textOf(submission['messageId']);
    if (id === '' || this.#messages.has(id) || this.#waiting.has(id)) return;
    const mark = event['policy'] === 'queue' ? 'held' : 'waiting';
    this.#waiting.set(id, message(id, 'user', [{ type: 'text', text: textOf(submission['text']) }], entry.index, mark));
  }

  take({ event, index }: Entry): void {
    if (event === undefined) return;
    switch (event.type) {
      case 'xstate.init':
        if (isObject(event['input'])) this.#load(event['input'], index, -1);
        return;
      case 'turn.started':
        this.sums.turns++;
        return this.#note('turn', `Turn ${this.sums.turns}`, index);
      case 'turn.reloaded':
        this.#load(event, index, index);
        return this.#note('remark', `Reloaded: ${countOf(event['messages'], 'message')}`, index);
      case 'transcript.replaced':
        this.#load(event, index, index);
        return this.#note(
          'remark',
          `Rewritten by ${textOf(event['by'])}: ${countOf(event['messages'], 'message')}`,
          index,
        );
      case 'message.appended':
        return this.#append(event['message'], index);
      case 'usage':
        if (isObject(event['usage'])) this.#message = usageOf(event['usage']);
        return;
      case 'assistant.settled':
        this.#turn = addUsage(this.#turn, this.#message);
        this.#message = noUsage;
        this.#turnCalls++;
        return this.#total();
      case 'message.injected':
        return this.#mark(event, 'steered');
      case 'message.queued':
        return this.#queued(event['message'], index);
      case 'message.withdrawn':
        this.#waiting.delete(textOf(event['messageId']));
        return;
      case 'message.streaming':
        this.#streamed += textOf(event['text']);
        this.#streamedAt = index;
        return;
      case 'stream.reset':
        this.#streamed = '';
        return this.#note('problem', 'The answer so far is discarded', index);
      case 'stream.retrying':
        return this.#note(
          'problem',
          `Retry ${numberOf(event['attempt'])} in ${Math.round(numberOf(event['delayMs']))} ms: ${errorOf(event['error'])}`,
          index,
        );
      case 'transformer.applied':
        return this.#note('remark', `${textOf(event['name'])} rewrote the context (${textOf(event['stage'])})`, index);
      case 'transformer.failed':
        return this.#note('problem', `${textOf(event['name'])} failed: ${errorOf(event['error'])}`, index);
      case 'turn.completed':
        return this.#ended(event, index);
      case 'operative.closed':
        return this.#note('end', 'Closed', index);
      default:
        if (event.type.startsWith('toolCall.')) this.#call(event);
    }
  }

  lines(): readonly Line[] {
    const lines = this.#lines.flatMap((line): Line[] => {
      if ('type' in line) return [line];
      return line.role === 'tool' ? [] : [this.#shown(line)]; // results stand with their calls
    });
    if (this.#streamed !== '') {
      const blocks: ShownBlock[] = [{ type: 'text', text: this.#streamed }];
      const index = this.#streamedAt;
      lines.push({ type: 'message', key: 'streaming', role: 'assistant', blocks, marks: ['streaming'], index });
    }
    for (const waiting of this.#waiting.values()) lines.push(this.#shown(waiting));
    return lines;
  }

  #load(from: Readonly<Record<string, unknown>>, index: number, shownAt: number): void {
    const last = Array.isArray(from['last']) ? from['last'] : [];
    const hidden = numberOf(from['messages']) - last.length;
    this.#lines = [];
    this.#messages.clear();
    this.#streamed = '';
    if (hidden > 0) this.#note('remark', `${countOf(hidden, 'earlier message')} not shown`, index);
    for (const one of last) this.#append(one, shownAt);
  }

  #append(given: unknown, shownAt: number): void {
    if (!isObject(given)) return;
    const id = textOf(given['id']);
    const content: readonly unknown[] = Array.isArray(given['content']) ? given['content'] : [];
    const role = textOf(given['role']);
    // An id comes once in a transcript; who sends it twice shows two messages.
    const key = this.#messages.has(id) ? `${id} ${this.#lines.length}` : id;
    const own = message(key, role, content, shownAt);
    const meta = given['meta'];
    if (isObject(meta) && meta['cut'] !== undefined) own.marks.add('cut');
    if (content.some((block) => isObject(block) && block['type'] === 'boundary')) own.marks.add('summary');
    const waiting = this.#waiting.get(id);
    if (waiting?.marks.has('held') === true) own.marks.add('held');
    this.#waiting.delete(id);
    if (role === 'assistant') this.#streamed = '';
    for (const block of content) if (isObject(block)) this.#noteBlock(block, own);
    this.#messages.set(id, own);
    this.#lines.push(own);
  }

  #noteBlock(block: Readonly<Record<string, unknown>>, owner: OpenMessage): void {
    if (block['type'] === 'toolCall') {
      this.sums.calls++;
      this.#owners.set(textOf(block['id']), owner);
    } else if (block['type'] === 'toolResult') {
      const state = this.#callState(textOf(block['callId']));
      state.status = textOf(block['status']);
      state.result = contentText(block['content']);
    }
  }

  #call(event: EventData): void {
    const call = event['call'];
    const state = this.#callState(isObject(call) ? textOf(call['id']) : textOf(event['callId']));
    if (event.type === 'toolCall.awaitingApproval') state.status = 'awaiting approval';
    else if (event.type === 'toolCall.started') state.status = 'running';
    else if (event.type === 'toolCall.backgrounded') state.status = 'in the background';
    else if (event.type === 'toolCall.settled') {
      const result = event['result'];
      if (isObject(result)) {
        state.status = textOf(result['status']);
        state.result = contentText(result['content']);
      }
      state.durationMs = numberOf(event['durationMs']);
    }
  }

  // Of a call that is about to change.
  #callState(id: string): CallState {
    const owner = this.#owners.get(id);
    if (owner !== undefined) owner.shown = undefined;
    let state = this.#calls.get(id);
    if (state === undefined) {
      state = { ...asked };
      this.#calls.set(id, state);
    }
    return state;
  }

  #mark(event: EventData, mark: Mark): void {
    const found = this.#messages.get(textOf(event['messageId']));
    if (found === undefined) return;
    found.marks.delete('held');
    found.marks.add(mark);
    found.shown = undefined;
  }

  // Late when it is in the transcript already; else it waits outside for the next turn.
  #queued(given: unknown, index: number): void {
    if (!isObject(given)) return;
    const id = textOf(given['id']);
    const landed = this.#messages.get(id);
    if (landed !== undefined) {
      landed.marks.add('late');
      landed.shown = undefined;
      return;
    }
    const content: readonly unknown[] = Array.isArray(given['content']) ? given['content'] : [];
    this.#waiting.set(id, message(id, textOf(given['role']), content, index, 'held'));
  }

  #ended(event: EventData, index: number): void {
    this.#streamed = '';
    // What the turn itself counted, with attempts that failed and calls of transformers.
    const usage = usageOf(isObject(event['usage']) ? event['usage'] : {});
    this.#before = addUsage(this.#before, usage);
    this.#callsBefore += numberOf(event['iterations']);
    this.#turn = noUsage;
    this.#turnCalls = 0;
    this.#total();
    const reason = textOf(event['reason']);
    const parts = [
      reason,
      countOf(event['iterations'], 'model call'),
      `${usage.inputTokens.toLocaleString('en')} → ${usage.outputTokens.toLocaleString('en')} tokens`,
    ];
    const problem = event['error'] === undefined ? '' : `: ${errorOf(event['error'])}`;
    this.#note(problem === '' ? 'end' : 'problem', `${parts.join(' · ')}${problem}`, index);
  }

  #total(): void {
    Object.assign(this.sums, addUsage(this.#before, this.#turn));
    this.sums.iterations = this.#callsBefore + this.#turnCalls;
  }

  #note(kind: NoteLine['kind'], text: string, index: number): void {
    this.#lines.push({ type: 'note', key: `note ${this.#notes++}`, kind, text, index });
  }

  #shown(open: OpenMessage): MessageLine {
    if (open.shown !== undefined) return open.shown;
    const { key, role, content, marks, index } = open;
    const blocks = content.map((block, position) => this.#block(block, position === 0 && marks.has('steered')));
    open.shown = { type: 'message', key, role, blocks, marks: [...marks], index };
    return open.shown;
  }

  #block(block: unknown, mayBeFrame: boolean): ShownBlock {
    if (!isObject(block)) return { type: 'other', text: textOf(block) };
    switch (block['type']) {
      case 'text': {
        const text = textOf(block['text']);
        return { type: mayBeFrame && text.startsWith('(Sent while ') ? 'frame' : 'text', text };
      }
      case 'thinking':
        return { type: 'thinking', text: textOf(block['text']) };
      case 'boundary':
        return { type: 'text', text: textOf(block['summary']) };
      case 'toolCall': {
        const id = textOf(block['id']);
        const args = block['args'] === undefined ? textOf(block['rawArgs']) : jsonOf(block['args']);
        return { type: 'call', id, name: textOf(block['name']), args, ...(this.#calls.get(id) ?? asked) };
      }
      default:
        return { type: 'other', text: textOf(block['type']) };
    }
  }
}

function message(key: string, role: string, content: readonly unknown[], index: number, mark?: Mark): OpenMessage {
  return { key, role, content, marks: new Set(mark === undefined ? [] : [mark]), index, shown: undefined };
}
