// Tools whose work can outlive their call.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createConversation } from '../../src/conversation/conversation.ts';
import type { ToolContext } from '../../src/contracts/tool.ts';
import { defineBackgroundTool, wantsBackground, withBackgroundFlag } from '../../src/tools/define-background-tool.ts';
import { errorOf } from './error-of.ts';

const base = { name: 'Build', description: 'Builds.' };
const closed = {
  type: 'object',
  properties: { target: { type: 'string' } },
  required: ['target'],
  additionalProperties: false,
};

function contextWith(progress: (update: unknown) => void): ToolContext<string> {
  return {
    callId: 'c1',
    idempotencyKey: 'm1/c1',
    signal: new AbortController().signal,
    turnContext: 'who',
    session: { id: 's1', get: (_key, create) => create() },
    conversation: createConversation(),
    progress,
  };
}

describe('defineBackgroundTool', () => {
  const tool = defineBackgroundTool({ ...base, parameters: closed, execute: () => 'done' });

  test('marks the tool and publishes its schema without the flag', () => {
    expect(tool.isBackground).toBe(true);
    expect(tool.definition.parameters).toEqual(closed);
  });

  test.each<[string, unknown]>([
    ['an object', { target: 'all', run_in_background: true }],
    ['JSON text', '{"target":"all","run_in_background":true}'],
  ])('takes the flag out of %s before validation', (_what, sent) => {
    expect(tool.parse(sent)).toEqual({ ok: true, args: { target: 'all' } });
  });

  test('takes the flag out before a strict zod schema sees it', () => {
    const strict = defineBackgroundTool({
      ...base,
      parameters: z.strictObject({ target: z.string() }),
      execute: () => '',
    });
    expect(strict.parse({ target: 'all', run_in_background: false })).toEqual({ ok: true, args: { target: 'all' } });
  });

  test('does not change what was sent', () => {
    const sent = { target: 'all', run_in_background: true };
    tool.parse(sent);
    expect(sent).toEqual({ target: 'all', run_in_background: true });
  });

  test('refuses other faults as any tool does', () => {
    expect(tool.parse('{"target":')).toMatchObject({ ok: false, message: expect.stringContaining('not valid JSON') });
    expect(tool.parse({ run_in_background: true })).toMatchObject({
      ok: false,
      message: expect.stringContaining('"target" is required (string) but missing'),
    });
  });

  test('refuses a schema that has the field itself', () => {
    const parameters = { type: 'object', properties: { run_in_background: { type: 'boolean' } } };
    const error = errorOf(() => defineBackgroundTool({ ...base, parameters, execute: () => '' }));
    expect(error.code).toBe('tool.invalid');
    expect(error.message).toContain('run_in_background');
  });

  test('writes to progress when no registry runs it', () => {
    const updates: unknown[] = [];
    const writing = defineBackgroundTool({
      ...base,
      parameters: closed,
      execute: (_args, context) => {
        context.write(`task ${String(context.taskId)}`);
        return context.callId;
      },
    });
    expect(
      writing.execute(
        { target: 'a' },
        contextWith((update) => updates.push(update)),
      ),
    ).toBe('c1');
    expect(updates).toEqual(['task undefined']);
  });

  test('uses the write and task id a registry gives', () => {
    const written: string[] = [];
    const writing = defineBackgroundTool({
      ...base,
      parameters: closed,
      execute: (_args, context) => context.write(`task ${String(context.taskId)}`),
    });
    const context = { ...contextWith(() => undefined), taskId: 't1', write: (text: string) => written.push(text) };
    writing.execute({ target: 'a' }, context);
    expect(written).toEqual(['task t1']);
  });

  test('reads contexts whose members are getters of a class', () => {
    class LazyContext {
      get callId() {
        return 'lazy';
      }
    }
    const reading = defineBackgroundTool({ ...base, parameters: closed, execute: (_args, context) => context.callId });
    // only callId is read
    expect(reading.execute({}, new LazyContext() as unknown as ToolContext)).toBe('lazy');
  });
});

describe('withBackgroundFlag', () => {
  const definition = { ...base, parameters: closed };

  test('adds an optional boolean and leaves the definition alone', () => {
    const published = withBackgroundFlag(definition);
    expect(published.parameters).toMatchObject({
      properties: { target: { type: 'string' }, run_in_background: { type: 'boolean' } },
      required: ['target'],
      additionalProperties: false,
    });
    expect(definition.parameters).toEqual(closed);
  });

  test('lists the flag as required and nullable for strict tools', () => {
    expect(withBackgroundFlag({ ...definition, strict: true }).parameters).toMatchObject({
      properties: { run_in_background: { type: ['boolean', 'null'] } },
      required: ['target', 'run_in_background'],
    });
  });

  test('works for a schema without properties', () => {
    expect(withBackgroundFlag({ ...base, parameters: { type: 'object' } }).parameters).toMatchObject({
      properties: { run_in_background: { type: 'boolean' } },
    });
  });
});

describe('wantsBackground', () => {
  test.each<[unknown, boolean]>([
    [{ run_in_background: true }, true],
    [{ run_in_background: 'true' }, true],
    ['{"run_in_background":true}', true],
    [{ run_in_background: false }, false],
    [{ run_in_background: null }, false],
    [{ run_in_background: 1 }, false],
    [{}, false],
    [undefined, false],
    ['{"run_in_background":', false],
    [[true], false],
  ])('reads %j as %s', (args, wants) => {
    expect(wantsBackground(args)).toBe(wants);
  });
});
