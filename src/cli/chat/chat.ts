// The chat: what is typed becomes messages and commands of an operative, and its events are printed. main.ts starts it.

import { userMessage, type Operative, type OperativeEvent } from '../../index.ts';
import type { AskPerson } from '../approval.ts';
import { createPresentation, isRecord, type Presentation } from '../presentation.ts';
import { noProgress, progressAfter, statusLine, workLine } from '../progress.ts';
import { createRender, type Render } from '../render.ts';
import type { Session } from '../session/session.ts';
import { plainText } from '../terminal/plain-text.ts';
import { activeStates } from './active-states.ts';
import { chatHelp, chatLine, type ChatCommand } from './commands.ts';
import type { ChatConsole, ConsoleListener } from './console.ts';
import { StatusTicker } from './status-ticker.ts';

/** What a chat needs. */
export interface ChatParts {
  readonly open: (listener: ConsoleListener) => ChatConsole;
  /** Makes the operative; `ask` asks for approvals in the chat. */
  readonly operative: (ask: AskPerson) => Operative;
  readonly session: Session | undefined;
  readonly color: boolean;
  /** Printed first. */
  readonly greeting: string;
  /** Answer what the session left unanswered, without waiting for /resume. */
  readonly resume: boolean;
}

/** A running chat. */
export interface Chat {
  /** Prints a line that is not part of the conversation. */
  readonly notice: (text: string) => void;
  /** As if Ctrl-C had been pressed. */
  readonly interrupt: () => void;
  /** Closes the operative and releases the terminal. */
  readonly leave: () => void;
  /** Resolves when the person has left and everything is stored, or after a limited time. */
  readonly left: Promise<void>;
}

const fates = {
  startedTurn: '',
  injected: '  ↪ injected',
  queued: '  ⏎ queued for the next turn',
  rejected: '  ✗ refused: the chat is closing',
} as const;
const compactionEnds = {
  'under way': 'There was nothing to compact.',
  'given up': 'The compaction was cancelled.',
  failed: 'Nothing was compacted.',
} as const;
/** Longest wait for tools and the disk when leaving, in milliseconds. */
const farewellMs = 3_000;

/** Starts a chat. */
export function startChat(parts: ChatParts): Chat {
  const chat = new RunningChat(parts);
  chat.begin(parts);
  return {
    notice: (text) => chat.say(text),
    interrupt: () => chat.interrupt(false),
    leave: () => chat.leave(),
    left: chat.left,
  };
}

class RunningChat {
  readonly left: Promise<void>;
  readonly #resolveLeft: () => void;
  readonly #session: Session | undefined;
  readonly #terminal: ChatConsole;
  readonly #operative: Operative;
  readonly #presentation: Presentation;
  readonly #render: Render;
  readonly #color: boolean;
  readonly #status: StatusTicker;
  // Ids of messages that were shown as injected but are not injected yet.
  readonly #promised = new Set<string>();
  #lastKeyWasInterrupt = false;
  #isLeaving = false;
  #compaction: keyof typeof compactionEnds | undefined;
  // These two belong to the current turn, or the last one.
  #progress = noProgress;
  #startedAt = 0;

  constructor({ open, operative, session, color }: ChatParts) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.left = promise;
    this.#resolveLeft = resolve;
    this.#session = session;
    this.#color = color;
    this.#presentation = createPresentation(session?.saved);
    this.#render = createRender({ color, columns: () => process.stdout.columns || 80 });
    this.#terminal = open({
      onLine: (line) => this.#readLine(line),
      onEscape: () => this.#cancel(),
      onInterrupt: (hadText) => this.interrupt(hadText),
      onTyping: () => {
        this.#lastKeyWasInterrupt = false;
      },
      onEnd: () => this.leave(),
    });
    this.#status = new StatusTicker((line) => this.#terminal.showStatus(line));
    this.#operative = operative(this.#terminal.ask);
    session?.follow(this.#operative);
    this.#operative.subscribe((event) =>
      this.#presentation.show(() => this.#show(event), { isRecord: isRecord(event) }),
    );
  }

  /** Prints the greeting and the session's state, and with `resume` answers what it left unanswered. */
  begin({ greeting, resume }: ChatParts): void {
    this.#terminal.print(greeting);
    if (this.#session === undefined) return;
    for (const line of sessionNews(this.#session)) this.say(line);
    const { messages } = this.#session.conversation;
    if (messages.length > 0 && this.#operative.can('resume').allowed) {
      if (resume) void this.#obey('resume');
      else this.say('The last message of this session was not answered yet: /resume answers it.');
    }
    if (messages.at(-1)?.meta?.['cut'] !== undefined)
      this.say('The last answer of this session was cut off: say "go on", or something else.');
  }

  say(text: string): void {
    this.#presentation.show(() => this.#terminal.insert(this.#dim(plainText(text))));
  }

  /** Ctrl-C: cancels the turn; a second one in a row leaves. */
  interrupt(hadText: boolean): void {
    if (this.#lastKeyWasInterrupt) return this.leave();
    this.#lastKeyWasInterrupt = true;
    if (this.#isBusy()) this.#cancel();
    else if (!hadText) this.say('Press Ctrl-C again to leave, or type /quit.');
  }

  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#status.freeze();
    void this.#closeWithin(farewellMs);
  }

  async #closeWithin(ms: number): Promise<void> {
    const giveBack = (): void => {
      this.#terminal.close();
      this.#resolveLeft();
    };
    const timer = setTimeout(giveBack, ms);
    try {
      await this.#operative.close();
      await this.#session?.saved();
      await this.#presentation.shown();
    } finally {
      clearTimeout(timer);
      giveBack();
    }
  }

  #readLine(line: string): void {
    const read = chatLine(line);
    switch (read.type) {
      case 'message':
        return this.#send(read.text);
      case 'command':
        return void this.#obey(read.name);
      case 'unknown':
        return this.say(`Unknown command /${plainText(read.name)}; /help lists them.`);
    }
  }

  #send(text: string): void {
    const message = userMessage(text);
    this.#session?.accept(message);
    let fate = '';
    const submitted = this.#operative.submit(message).then(({ outcome }) => {
      fate = fates[outcome];
      if (outcome === 'injected') this.#promised.add(message.id);
    });
    const shown = plainText(text).replaceAll('\n', '\n  ');
    const insert = () => this.#terminal.insert(`› ${shown}${this.#dim(fate)}`);
    this.#presentation.show(insert, { isRecord: true, after: submitted });
  }

  async #obey(command: ChatCommand): Promise<void> {
    switch (command) {
      case 'help':
        return this.#terminal.insert(chatHelp);
      case 'state':
        return this.say(activeStates(this.#operative));
      case 'quit':
        return this.leave();
      case 'compact':
        return this.#compact();
      case 'resume':
        return this.#resume();
    }
  }

  async #resume(): Promise<void> {
    const possible = this.#operative.can('resume');
    if (!possible.allowed) return this.say(`Nothing to resume: ${possible.why}`);
    const { outcome } = await this.#operative.resume();
    if (outcome === 'alreadyRunning') this.say('The turn is already running.');
    if (outcome === 'nothingToDo') this.say('Nothing to resume: the last message is already an answer.');
  }

  async #compact(): Promise<void> {
    const possible = this.#operative.can('compact');
    if (!possible.allowed) return this.say(`Cannot compact: ${possible.why}`);
    const since = performance.now();
    this.#compaction = 'under way';
    this.#tick(() => workLine('compacting · Esc cancels', performance.now() - since));
    const done = await this.#operative.compact();
    const end = done ? 'Compacted.' : compactionEnds[this.#compaction];
    this.#compaction = undefined;
    if (!this.#isBusy()) this.#status.stop(); // else a turn that was requested meanwhile has begun
    this.say(end);
  }

  #cancel(): void {
    if (this.#operative.state === 'compacting') this.#compaction = 'given up';
    if (this.#operative.can('cancel').allowed) void this.#operative.cancel();
  }

  #show(event: OperativeEvent): void {
    if (event.type === 'turn.started') {
      this.#startedAt = performance.now();
      this.#progress = noProgress;
      this.#tick(() => statusLine(this.#progress, this.#elapsedMs()));
    }
    this.#progress = progressAfter(this.#progress, event);
    if (event.type === 'turn.completed') this.#status.stop();
    if (event.type === 'transformer.failed' && this.#compaction !== undefined) this.#compaction = 'failed';
    if (event.type === 'message.injected') this.#promised.delete(event.message.id);
    // A message that was queued at once was shown as queued; one that was to be injected was not.
    if (event.type !== 'message.queued' || this.#promised.delete(event.message.id))
      this.#terminal.print(this.#render(event, this.#elapsedMs()));
    if (event.type !== 'turn.completed' || this.#isLeaving) return;
    if (event.reason !== 'completed' && !this.#isBusy() && this.#operative.can('resume').allowed)
      this.say('Not everything was answered: /resume continues, and so does your next message.');
    this.#terminal.print('\n');
  }

  #tick(line: () => string): void {
    if (!this.#isLeaving) this.#status.start(line);
  }

  #isBusy(): boolean {
    return this.#operative.state !== 'idle';
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  #dim(text: string): string {
    return this.#color ? `\u001B[2m${text}\u001B[22m` : text;
  }
}

function sessionNews({ name, path, conversation, repaired }: Session): readonly string[] {
  const { length } = conversation.messages;
  const held = length === 0 ? 'is new' : `continues with ${length} ${length === 1 ? 'message' : 'messages'}`;
  return [`Session "${name}" ${held} (${path}).`, ...repaired];
}
