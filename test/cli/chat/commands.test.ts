import { describe, expect, test } from 'vitest';
import { chatHelp, chatLine } from '../../../src/cli/chat/commands.ts';

describe('chatLine', () => {
  test.for([
    ['hello', { type: 'message', text: 'hello' }],
    ['  two words ', { type: 'message', text: 'two words' }],
    ['/resume', { type: 'command', name: 'resume' }],
    ['/quit now', { type: 'command', name: 'quit' }],
    ['/frobnicate', { type: 'unknown', name: 'frobnicate' }],
    ['/toString', { type: 'unknown', name: 'toString' }],
    ['/', { type: 'unknown', name: '' }],
    [' /state', { type: 'message', text: '/state' }],
    ['/usr/bin is what?', { type: 'message', text: '/usr/bin is what?' }],
    ['/etc/passwd', { type: 'message', text: '/etc/passwd' }],
  ] as const)('reads %j', ([line, read]) => {
    expect(chatLine(line)).toEqual(read);
  });

  test('the help names every command', () => {
    for (const name of ['resume', 'compact', 'state', 'help', 'quit']) {
      expect(chatLine(`/${name}`)).toEqual({ type: 'command', name });
      expect(chatHelp).toContain(`/${name}`);
    }
  });
});
