// The chat: what is typed becomes messages and commands of an operative, what it tells is printed. main.ts starts it.

import { userMessage, type Operative, type OperativeEvent } from '../../index.ts';
import type { AskPerson } from '../approval.ts';
import { createPresentation, isRecord } from '../presentation.ts';
import { noProgress, progressAfter, statusLine, workLine } from '../progress.ts';
import { createRender } from '../render.ts';
import type { Session } from '../session/session.ts';
import { plainText } from '../terminal/plain-text.ts';
import { activeStates } from './active-states.ts';
import { chatHelp, chatLine, type ChatCommand } from './commands.ts';
import type { ChatConsole, ConsoleListener } from './console.ts';

/** What a chat is made of. */
export interface ChatParts {
  readonly open: (listener: ConsoleListener) => ChatConsole;
  /** Makes the operative; approvals ask through the chat. */
  readonly operative: (ask: AskPerson) => Operative;
  readonly session: Session | undefined;
  readonly color: boolean;
  /** Printed first. */
  readonly greeting: string;
  /** Answer at once what the session left unanswered. */
  readonly resume: boolean;
}

/** A running chat. */
export interface Chat {
  /** Prints a line of the command's own. */
  readonly notice: (text: string) => void;
  /** As if Ctrl-C had been pressed. */
  readonly interrupt: () => void;
  /** Closes the operative and gives the terminal back. */
  readonly leave: () => void;
  /** Resolves when the person has left and everything is stored, or after a bounded time. */
  readonly left: Promise<void>;
}

const fates = {
  startedTurn: '',
  injected: '  ↪ injected',
  queued: '  ⏎ queued for the next turn',
  rejected: '  ✗ refused: the chat is closing',
} as const;
const compactionEnds = {
  'under way': 'There was nothing to gain.',
  'given up': 'The compaction was given up.',
  failed: 'Nothing was compacted.',
} as const;
const redrawMs = 100;
/** Longest wait for the disk and for tools when leaving, in milliseconds. */
const farewellMs = 3_000;

/** Starts a chat. */
export function startChat({ open, operative: makeOperative, session, color, greeting, resume }: ChatParts): Chat {
  const dim = (text: string) => (color ? `\u001B[2m${text}\u001B[22m` : text);
  const presentation = createPresentation(session?.saved);
  const render = createRender({ color, columns: () => process.stdout.columns || 80 });
  const promised = new Set<string>(); // shown as injected, not yet drained
  let armed = false; // the last key was Ctrl-C
  let compaction: 'under way' | 'given up' | 'failed' | undefined;
  let progress = noProgress;
  let begun = 0;
  let ticking: NodeJS.Timeout | undefined;
  let finish: (() => void) | undefined;
  const left = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let isLeaving = false;

  const say = (text: string): void => presentation.show(() => terminal.insert(dim(plainText(text))));
  const elapsed = () => performance.now() - begun;
  const isBusy = () => operative.state !== 'idle';

  const interrupt = (hadText = false): void => {
    if (armed) return leave();
    armed = true;
    if (isBusy()) cancel();
    else if (!hadText) say('Press Ctrl-C again to leave, or type /quit.');
  };
  const cancel = (): void => {
    if (operative.state === 'compacting') compaction = 'given up';
    if (operative.can('cancel').allowed) void operative.cancel();
  };
  // A line below that tells of long work, again and again.
  const tick = (line: () => string): void => {
    stopTicking();
    if (isLeaving) return;
    terminal.showStatus(line());
    ticking = setInterval(() => terminal.showStatus(line()), redrawMs);
  };
  const stopTicking = (): void => {
    clearInterval(ticking);
    terminal.showStatus(undefined);
  };
  const leave = (): void => {
    if (isLeaving) return;
    isLeaving = true;
    clearInterval(ticking); // what it showed stays until the end
    const timer = setTimeout(() => {
      terminal.close();
      finish?.();
    }, farewellMs);
    void operative
      .close()
      .then(() => session?.saved())
      .then(() => presentation.shown())
      .finally(() => {
        clearTimeout(timer);
        terminal.close();
        finish?.();
      });
  };

  const terminal = open({
    onLine,
    onEscape: cancel,
    onInterrupt: interrupt,
    onTyping: () => {
      armed = false;
    },
    onEnd: () => leave(),
  });
  const operative = makeOperative(terminal.ask);
  session?.follow(operative);
  operative.subscribe((event) => presentation.show(() => show(event), { isRecord: isRecord(event) }));

  function onLine(line: string): void {
    const read = chatLine(line);
    switch (read.type) {
      case 'message':
        return send(read.text);
      case 'command':
        return void obey(read.name);
      case 'unknown':
        return say(`Unknown command /${plainText(read.name)}; /help lists them.`);
    }
  }

  function send(text: string): void {
    const message = userMessage(text);
    session?.accept(message);
    let fate = '';
    const submitted = operative.submit(message).then(({ outcome }) => {
      fate = fates[outcome];
      if (outcome === 'injected') promised.add(message.id);
    });
    const shown = plainText(text).replaceAll('\n', '\n  ');
    presentation.show(() => terminal.insert(`› ${shown}${dim(fate)}`), { isRecord: true, after: submitted });
  }

  async function obey(command: ChatCommand): Promise<void> {
    switch (command) {
      case 'help':
        return terminal.insert(chatHelp);
      case 'state':
        return say(activeStates(operative));
      case 'quit':
        return leave();
      case 'compact': {
        const possible = operative.can('compact');
        if (!possible.allowed) return say(`Cannot compact: ${possible.why}`);
        return compact();
      }
      case 'resume': {
        const possible = operative.can('resume');
        if (!possible.allowed) return say(`Nothing to resume: ${possible.why}`);
        const { outcome } = await operative.resume();
        if (outcome === 'alreadyRunning') say('The turn is running already.');
        if (outcome === 'nothingToDo') say('Nothing to resume: the last message is an answer already.');
      }
    }
  }

  async function compact(): Promise<void> {
    const since = performance.now();
    compaction = 'under way';
    tick(() => workLine('compacting · Esc gives up', performance.now() - since));
    const done = await operative.compact();
    const end = done ? 'Compacted.' : compactionEnds[compaction];
    compaction = undefined;
    if (!isBusy()) stopTicking(); // else a turn that was asked for meanwhile has begun
    say(end);
  }

  function show(event: OperativeEvent): void {
    if (event.type === 'turn.started') {
      begun = performance.now();
      progress = noProgress;
      tick(() => statusLine(progress, elapsed()));
    }
    progress = progressAfter(progress, event);
    if (event.type === 'turn.completed') stopTicking();
    if (event.type === 'transformer.failed' && compaction !== undefined) compaction = 'failed';
    if (event.type === 'message.injected') promised.delete(event.message.id);
    // A message that was queued at the call has been shown so; one that was to be injected has not.
    if (event.type !== 'message.queued' || promised.delete(event.message.id)) terminal.print(render(event, elapsed()));
    if (event.type !== 'turn.completed' || isLeaving) return;
    adviseAfter(event.reason);
    terminal.print('\n');
  }

  function adviseAfter(reason: string): void {
    if (reason !== 'completed' && !isBusy() && operative.can('resume').allowed)
      say('Not everything was answered: /resume goes on, and so does your next message.');
  }

  terminal.print(greeting);
  if (session !== undefined) for (const line of sessionNews(session)) say(line);
  if (session !== undefined && session.conversation.messages.length > 0 && operative.can('resume').allowed) {
    if (resume) void obey('resume');
    else say('The last message of this session was not answered yet: /resume answers it.');
  }
  if (session?.conversation.messages.at(-1)?.meta?.['cut'] !== undefined)
    say('The last answer of this session was broken off: say "go on", or something else.');
  return { notice: say, interrupt: () => interrupt(), leave, left };
}

function sessionNews({ name, path, conversation, repaired }: Session): readonly string[] {
  const { length } = conversation.messages;
  const held = length === 0 ? 'begins' : `goes on with ${length} ${length === 1 ? 'message' : 'messages'}`;
  return [`Session "${name}" ${held} (${path}).`, ...repaired];
}
