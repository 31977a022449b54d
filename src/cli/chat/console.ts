// The chat's terminal: text above, a status line, the line being typed below. Opened by chat.ts.

import { editedBy, afterSubmit, emptyLine, withInserted, type Key, type LineEditor } from '../terminal/line-editor.ts';
import { inputRows } from '../terminal/input-rows.ts';
import { listenToKeyboard, type TerminalInput } from '../terminal/keyboard.ts';
import { createScreen, type Below } from '../terminal/screen.ts';

/** Gets what the person does. */
export interface ConsoleListener {
  /** A line was sent. It is never blank. */
  readonly onLine: (line: string) => void;
  readonly onEscape: () => void;
  /** Ctrl-C. `hadText`: it discarded a line that was being typed. */
  readonly onInterrupt: (hadText: boolean) => void;
  /** Anything else was typed. */
  readonly onTyping: () => void;
  /** Ctrl-D on an empty line, or the loss of the terminal. */
  readonly onEnd: () => void;
}

/** The chat's terminal. */
export interface ChatConsole {
  /** Appends to the growing text. */
  readonly print: (text: string) => void;
  /** Inserts whole lines above a row that is still growing. */
  readonly insert: (lines: string) => void;
  readonly showStatus: (status: string | undefined) => void;
  /** Asks a yes-or-no question, one at a time; false for any key except y, and once the signal is aborted. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** Releases the terminal. Nothing is printed afterwards. */
  readonly close: () => void;
}

/** What a console needs. */
export interface ConsoleParts {
  readonly input: TerminalInput;
  /** The terminal's size, and an event when it changes. */
  readonly output: {
    readonly columns?: number;
    readonly rows?: number;
    readonly on: (event: 'resize', listener: () => void) => unknown;
    readonly off: (event: 'resize', listener: () => void) => unknown;
  };
  readonly write: (text: string) => void;
  readonly color: boolean;
}

interface Question {
  readonly text: string;
  readonly answer: (allowed: boolean) => void;
}

const prompt = '› ';
const markPastes = '\u001B[?2004h';
const leavePastes = '\u001B[?2004l';
const mostInputRows = 8;

/** Takes over the terminal. */
export function openConsole({ input, output, write, color }: ConsoleParts, listener: ConsoleListener): ChatConsole {
  const columns = () => output.columns || 80;
  const screen = createScreen(columns, color ? (status) => `\u001B[2m${status}\u001B[22m` : undefined);
  let editor = emptyLine;
  let status: string | undefined;
  let isOpen = true;
  const questions: Question[] = [];

  const below = (): Below => {
    const room = { columns: columns(), rows: Math.max(1, Math.min(mostInputRows, (output.rows || 24) - 4)) };
    const [question] = questions;
    return question === undefined
      ? { status, input: inputRows(prompt, editor, room) }
      : { status: `${question.text} y/n`, input: inputRows('? ', emptyLine, room) };
  };
  const redraw = (): void => {
    if (isOpen) write(screen.show(below()));
  };
  const edit = (next: LineEditor): void => {
    editor = next;
    redraw();
  };
  const send = (): void => {
    const line = editor.text;
    edit(afterSubmit(editor));
    if (line.trim() !== '') listener.onLine(line);
  };
  const onKey = (key: Key): void => {
    const name = `${key.ctrl === true ? 'ctrl-' : ''}${key.name ?? ''}`;
    if (name === 'ctrl-c') {
      const hadText = editor.text !== '';
      edit({ ...emptyLine, history: editor.history, at: editor.history.length, cut: editor.cut });
      listener.onInterrupt(hadText);
      return;
    }
    listener.onTyping();
    const question = questions[0];
    if (question !== undefined) question.answer(key.sequence === 'y' || key.sequence === 'Y');
    else if (name === 'escape') listener.onEscape();
    else if (name === 'return' && key.meta !== true) send();
    else if (name === 'ctrl-d' && editor.text === '') listener.onEnd();
    else if (name === 'ctrl-l') write(`\u001B[2J\u001B[H${screen.resized(below())}`);
    else if (name === 'ctrl-z') suspend();
    else edit(editedBy(editor, key));
  };
  const onPaste = (text: string): void => {
    listener.onTyping();
    if (questions.length === 0) edit(withInserted(editor, text));
  };
  const onResize = (): void => {
    if (isOpen) write(screen.resized(below()));
  };
  const takeKeyboard = () => listenToKeyboard(input, { onKey, onPaste, onEnd: listener.onEnd });
  let releaseKeyboard = takeKeyboard();

  // In raw mode Ctrl-Z is an ordinary key, so suspending is done by hand.
  const suspend = (): void => {
    if (process.platform === 'win32') return;
    write(leavePastes + screen.show({}));
    releaseKeyboard();
    process.once('SIGCONT', () => {
      if (!isOpen) return;
      releaseKeyboard = takeKeyboard();
      write(markPastes + screen.resized(below()));
    });
    process.kill(process.pid, 'SIGTSTP');
  };

  output.on('resize', onResize);
  write(markPastes + screen.show(below()));
  return {
    print(text) {
      if (isOpen) write(screen.print(text));
    },
    insert(lines) {
      if (isOpen) write(screen.insert(lines));
    },
    showStatus(next) {
      status = next;
      redraw();
    },
    ask: (text, signal) =>
      new Promise((resolve) => {
        const answer = (allowed: boolean): void => {
          signal.removeEventListener('abort', refuse);
          questions.splice(questions.indexOf(question), 1);
          redraw();
          resolve(allowed);
        };
        const refuse = (): void => answer(false);
        const question: Question = { text, answer };
        if (signal.aborted || !isOpen) return resolve(false);
        signal.addEventListener('abort', refuse, { once: true });
        questions.push(question);
        redraw();
      }),
    close() {
      if (!isOpen) return;
      isOpen = false;
      output.off('resize', onResize);
      releaseKeyboard();
      write(`${screen.show({})}${leavePastes}`);
    },
  };
}
