// The chat's commands: their names and their help. chat.ts executes them.

/** A line typed into the chat. */
export type ChatLine =
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'command'; readonly name: ChatCommand }
  | { readonly type: 'unknown'; readonly name: string };

/** The names of the commands. */
export type ChatCommand = 'resume' | 'compact' | 'state' | 'help' | 'quit';

const commands: { readonly [name in ChatCommand]: string } = {
  resume: 'answer what was left unanswered after a cancel, a failure or a crash',
  compact: 'summarise the older part of the conversation',
  state: 'print the active states of the operative and its turn',
  help: 'print this help',
  quit: 'leave (also: Ctrl-D, or Ctrl-C twice)',
};

/** What `/help` prints. */
export const chatHelp = `Type a message and press Enter. While a turn runs, a message steers it: ↪ injected before the next model call, or
⏎ queued for the next turn if it comes too late. Alt-Enter or Ctrl-J begins a new line; a paste is sent only by Enter.

  Esc, Ctrl-C   cancel the turn; a second Ctrl-C leaves
${Object.entries(commands)
  .map(([name, does]) => `  ${`/${name}`.padEnd(12)}  ${does}`)
  .join('\n')}

To send a message that begins with a slash, put a space before it.
`;

/** Reads a line. A path ("/usr/bin is what?") is not a command, nor is a line that begins with a space. */
export function chatLine(line: string): ChatLine {
  const name = /^\/([^\s/]*)\s*$/u.exec(line)?.[1] ?? /^\/([A-Za-z]+)\s/u.exec(line)?.[1];
  if (name === undefined) return { type: 'message', text: line.trim() };
  return isCommand(name) ? { type: 'command', name } : { type: 'unknown', name };
}

function isCommand(name: string): name is ChatCommand {
  return Object.hasOwn(commands, name);
}
