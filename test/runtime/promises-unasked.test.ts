// Functions that must answer at once and are async anyway: each has a defined answer, somebody is told, and no
// rejection is left to kill the process.

import { describe, expect, test } from 'vitest';
import { messageOf } from '../../src/contracts/errors.ts';
import type { EngineOptions, EngineSteps } from '../../src/contracts/engine.ts';
import { frameWith } from '../../src/runtime/frame.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { expectNothingUnhandled } from '../properties/unhandled.ts';
import { interpreters, playTurn, toolOf, type TurnSetup } from './turn-bench.ts';
import { startOperative } from './operative/operative-bench.ts';

expectNothingUnhandled();

const calling = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });
const done = { text: 'done' };
const settles = [
  ['resolves', () => Promise.resolve(false)],
  ['rejects', () => Promise.reject(new Error('later'))],
] as const;

const notAtOnce = (who: string) => `${who} returned a promise; it must return its answer at once.`;

describe.each(interpreters)('a promise where none can be waited for (%s)', (interpreter) => {
  async function play(setup: Partial<TurnSetup>) {
    const told: string[] = [];
    const onListenerError: EngineOptions['onListenerError'] = (error) => told.push(messageOf(error));
    const turn = await playTurn({ interpreter, script: [calling('a', 'b'), done], onListenerError, ...setup });
    return { turn, told };
  }
  const tools = (more: object) => [toolOf('a', () => 'ran', more), toolOf('b', () => 'ran')];

  describe.each(settles)('that %s', (_how, promise) => {
    const steps = (name: keyof EngineSteps): EngineSteps => ({ [name]: promise });

    test('of needsApproval: the call is asked about', async () => {
      const asked: string[] = [];
      const { turn, told } = await play({
        tools: tools({ needsApproval: promise }),
        approve: ({ call }) => {
          asked.push(call.name);
          return { allow: true };
        },
      });
      expect(asked).toContain('a');
      expect(told).toEqual([notAtOnce('needsApproval of the tool "a"')]);
      expect(turn.result.reason).toBe('completed');
    });

    test('of isConcurrencySafe: the call runs alone', async () => {
      const order: string[] = [];
      const slow = (name: string, more: object) =>
        toolOf(
          name,
          async () => {
            order.push(`+${name}`);
            await Promise.resolve();
            order.push(`-${name}`);
          },
          more,
        );
      const { told } = await play({
        tools: [slow('a', { isConcurrencySafe: promise }), slow('b', { isConcurrencySafe: true })],
      });
      expect(order).toEqual(['+a', '-a', '+b', '-b']);
      expect(told).toEqual([notAtOnce('isConcurrencySafe of the tool "a"')]);
    });

    test('of a tool’s parse: the arguments are not taken', async () => {
      const { turn } = await play({ tools: tools({ parse: promise }) });
      expect(turn.lines()).toContain(`invalidArguments: The arguments of a could not be checked: ${notAtOnce('It')}`);
    });

    test('of timeoutFor: the usual limit holds', async () => {
      const { turn, told } = await play({ steps: steps('timeoutFor'), tools: tools({}) });
      expect(turn.result.reason).toBe('completed');
      expect(told).toContain(notAtOnce('The step "timeoutFor"'));
    });

    test('of formatToolResult: the result stays as it was', async () => {
      const { turn, told } = await play({ steps: steps('formatToolResult'), tools: tools({}) });
      expect(turn.lines()).toContain('completed: ran');
      expect(told).toContain(notAtOnce('The step "formatToolResult"'));
    });

    test.each(['planCalls', 'buildRequest'] as const)('of %s: the turn is broken and says so', async (name) => {
      const script = name === 'planCalls' ? [calling('a', 'b')] : [];
      const { turn } = await play({ steps: steps(name), tools: tools({}), script });
      expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
      expect(turn.result.error?.message).toBe(`The step "${name}" failed: ${notAtOnce('It')}`);
    });

    test('of a model’s stream: the model failed and says so', async () => {
      const { turn } = await play({ script: [], model: { id: 'late', stream: promise as never } });
      expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'model.failed' } });
      expect(turn.result.error?.message).toContain('its stream() must return an async iterable synchronously.');
    });

    test('of an engine function: the turn fails and says so', async () => {
      const bench = startOperative({ own: { engine: promise as never } });
      void bench.submit('Hi');
      await bench.rest();
      expect(bench.results()).toMatchObject([
        { reason: 'failed', error: { message: notAtOnce('The engine function') } },
      ]);
    });

    test('of frameInjectedMessage: the message is used without a frame', () => {
      const told: string[] = [];
      const message = userMessage('more');
      expect(frameWith(promise as never, (error) => told.push(messageOf(error)))(message)).toBe(message);
      expect(told).toEqual([notAtOnce('frameInjectedMessage')]);
    });
  });
});
