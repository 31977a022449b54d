import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { skillsOf, type Skills } from '../../../src/cli/demo/capabilities.ts';
import type { ToolDefinition } from '../../../src/index.ts';
import { baselineTools } from '../../../src/tools/index.ts';
import { codingTools } from './known-tools.ts';

const names = (skills: Skills) =>
  Object.fromEntries(Object.entries(skills).map(([capability, skill]) => [capability, skill.tool]));

describe('skillsOf', () => {
  test("finds the command's own tools", () => {
    const definitions = baselineTools({ cwd: tmpdir() }).map(({ definition }) => definition);
    expect(names(skillsOf(definitions))).toEqual({
      list: 'Glob',
      read: 'Read',
      search: 'Grep',
      run: 'Bash',
      todo: 'TodoWrite',
    });
  });

  test('finds tools by the names coding agents know', () => {
    expect(names(skillsOf(codingTools))).toEqual({
      list: 'Glob',
      read: 'Read',
      search: 'Grep',
      run: 'Bash',
      todo: 'TodoWrite',
    });
  });

  test('finds a tool by its description and parameters alone', () => {
    const tool: ToolDefinition = {
      name: 'peek',
      description: 'Reads one file.',
      parameters: { type: 'object', properties: { filename: { type: 'string' } }, required: ['filename'] },
    };
    const { read } = skillsOf([tool]);
    expect(read?.call({ file: 'a.ts' })).toEqual({ name: 'peek', args: { filename: 'a.ts' } });
  });

  test('leaves a tool alone whose required parameters it has no values for', () => {
    const tool: ToolDefinition = {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, account: { type: 'string' } },
        required: ['path', 'account'],
      },
    };
    expect(skillsOf([tool])).toEqual({});
  });

  test('fills required parameters that say themselves what they take', () => {
    const tool: ToolDefinition = {
      name: 'list_directory',
      description: 'Lists files.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          sort: { type: 'string', enum: ['name', 'time'] },
          depth: { type: 'number', default: 9 },
          hidden: { type: 'boolean' },
        },
        required: ['path', 'sort', 'depth', 'hidden'],
      },
    };
    expect(skillsOf([tool]).list?.call({ glob: '**/*' })).toEqual({
      name: 'list_directory',
      args: { path: '.', sort: 'name', depth: 9, hidden: false },
    });
  });

  test('asks for a mode only where the tool offers it', () => {
    const { search } = skillsOf(codingTools);
    expect(search?.takes('mode', 'count')).toBe(true);
    expect(search?.takes('mode', 'tally')).toBe(false);
    expect(search?.call({ text: 'x', mode: 'content' })).toEqual({
      name: 'Grep',
      args: { pattern: 'x', output_mode: 'content' },
    });
  });

  test('keeps only the keys that the items of a to-do list know', () => {
    const call = skillsOf(codingTools).todo?.call({
      todos: [{ content: 'a', description: 'a', activeForm: 'a', status: 'pending' }],
    });
    expect(call?.args).toEqual({ todos: [{ content: 'a', activeForm: 'a', status: 'pending' }] });
  });

  test.for([
    [{}],
    [{ properties: null }],
    [{ properties: [], required: 'path' }],
    [{ properties: { path: true } }],
  ] as const)('survives odd schemas', ([parameters]) => {
    const odd: ToolDefinition = { name: 'list_files', description: 'Lists files.', parameters };
    expect(Object.keys(skillsOf([odd]))).toEqual(['list']);
  });
});
