import { describe, expect, test } from 'vitest';
import type { Engine, EngineOptions } from '../../../src/contracts/engine.ts';
import type { Tool } from '../../../src/contracts/tool.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { assistantMessage, textOf, userMessage } from '../../../src/conversation/message.ts';
import { EngineBuilder } from '../../../src/runtime/builders.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost } from '../../../src/testing/index.ts';
import { agentTool } from '../../../src/tools/agent/agent-tool.ts';
import { ToolResult } from '../../../src/tools/tool-result.ts';
import { toolOf } from '../../runtime/turn-bench.ts';
import { startAgent } from './agent-bench.ts';

const recipe = (): EngineOptions => ({ model: scriptedModel([]) });
const properties = (tool: Tool) => tool.definition.parameters['properties'];

describe('the definition', () => {
  test('of one type has no subagent_type', () => {
    const tool = agentTool({ helper: { description: 'Helps with all.', engine: recipe } });
    expect(tool.name).toBe('Agent');
    expect(tool.isBackground).toBe(true);
    expect(Object.keys(properties(tool) as object)).toEqual(['description', 'prompt']);
    expect(tool.definition.parameters['required']).toEqual(['prompt']);
    expect(tool.definition.description).toContain('Helps with all.');
  });

  test('of several types has one of their names, and says what each is', () => {
    const tool = agentTool({
      reader: { description: 'Reads.', engine: recipe },
      writer: { description: 'Writes.', engine: recipe },
    });
    expect(properties(tool)).toMatchObject({ subagent_type: { enum: ['reader', 'writer'] } });
    expect(tool.definition.parameters['required']).toEqual(['prompt', 'subagent_type']);
    expect(tool.definition.description).toContain('- reader: Reads.\n- writer: Writes.');
  });

  test('can be replaced, the name as well', () => {
    const tool = agentTool(
      { helper: { description: 'Helps.', engine: recipe } },
      { definition: (definition) => ({ ...definition, name: 'Delegate', description: 'Mine.' }) },
    );
    expect([tool.name, tool.definition.name, tool.definition.description]).toEqual(['Delegate', 'Delegate', 'Mine.']);
  });

  test('needs at least one type', () => {
    expect(() => agentTool({})).toThrowError(expect.objectContaining({ code: 'tool.invalid' }));
  });

  const helper = { helper: { description: 'Helps.', engine: recipe } };

  test.each(['maxDepth', 'maxParallel'])('refuses a %s of 0', (name) => {
    expect(() => agentTool(helper, { [name]: 0 })).toThrowError(
      expect.objectContaining({ code: 'options.invalid', message: expect.stringContaining(name) }),
    );
  });

  test.each<[string, () => unknown]>([
    ['an option it does not have', () => agentTool(helper, { maxDeep: 1 } as object)],
    ['a type without an engine', () => agentTool({ helper: { description: 'Helps.' } as never })],
    ['a type with a misspelt field', () => agentTool({ helper: { ...helper.helper, systemprompt: 'x' } as never })],
    ['a type that is nothing', () => agentTool({ helper: undefined as never })],
  ])('refuses %s', (_what, make) => {
    expect(make).toThrowError(expect.objectContaining({ code: 'options.invalid' }));
  });
});

describe('a subagent', () => {
  test('answers the prompt on a conversation of its own, and its last words are the result', async () => {
    const bench = startAgent({ child: [{ text: 'Found it.' }], type: { systemPrompt: 'You help.' } });
    await bench.turn.end();
    expect(bench.answer()).toBe('completed: Found it.');
    const [request] = bench.child.requests;
    expect(request?.messages.map((message) => `${message.role} ${textOf(message)}`)).toEqual(['user Do it.']);
    expect(request?.system).toEqual([{ type: 'text', text: 'You help.' }]);
    expect(bench.turn.lines()).toEqual(['user: go', 'call Agent', 'completed: Found it.', 'assistant: done']);
  });

  test('has an engine that is made afresh at each spawn', async () => {
    const call = { name: 'Agent', args: { prompt: 'Do it.' } };
    const bench = startAgent({
      child: [{ text: 'one' }, { text: 'two' }],
      script: [{ calls: [call] }, { calls: [call] }, { text: 'done' }],
    });
    await bench.turn.end();
    expect(bench.spawns()).toBe(2);
  });

  test.each(['reader', 'writer'])('is of the type that was asked for: %s', async (wanted) => {
    const spawned: string[] = [];
    const host = simulatedHost();
    const type = (name: string) => ({
      description: name,
      engine: () => {
        spawned.push(name);
        return { transformers: [], model: scriptedModel([{ text: name }]), host };
      },
    });
    const bench = startAgent({
      host,
      child: [],
      tools: [agentTool({ reader: type('reader'), writer: type('writer') })],
      own: { definition: (definition) => ({ ...definition, name: 'Unused' }) },
      script: [{ calls: [{ name: 'Agent', args: { prompt: 'x', subagent_type: wanted } }] }, { text: 'done' }],
    });
    await bench.turn.end();
    expect([spawned, bench.answer()]).toEqual([[wanted], `completed: ${wanted}`]);
  });

  test.each([
    [{ prompt: 'x' }, 'invalidArguments'],
    [{ prompt: 'x', subagent_type: 'ghost' }, 'invalidArguments'],
    [{ prompt: 'x', subagent_type: '__proto__' }, 'invalidArguments'],
    [{ subagent_type: 'reader' }, 'invalidArguments'],
    [{ prompt: ' \n', subagent_type: 'reader' }, 'failed'],
  ])('is not spawned for %j', async (args, status) => {
    const types = { reader: { description: 'r', engine: recipe }, writer: { description: 'w', engine: recipe } };
    const bench = startAgent({
      child: [],
      own: { definition: (definition) => ({ ...definition, name: 'Unused' }) },
      tools: [agentTool(types)],
      script: [{ calls: [{ name: 'Agent', args }] }, { text: 'done' }],
    });
    await bench.turn.end();
    expect(bench.turn.results()[0]?.status).toBe(status);
  });

  test('has the turn context of its parent', async () => {
    const seen: unknown[] = [];
    const bench = startAgent({
      child: [{ calls: [{ name: 'look' }] }, { text: 'ok' }],
      recipe: { tools: [toolOf('look', (_args, { turnContext }) => void seen.push(turnContext))] },
      turnContext: 'whose',
    });
    await bench.turn.end();
    expect(seen).toEqual(['whose']);
  });

  test('has a tool session of its own', async () => {
    const ids = new Set<string>();
    const note = toolOf('look', (_args, { session }) => void ids.add(session.id));
    const call = { name: 'Agent', args: { prompt: 'x' } };
    const bench = startAgent({
      child: ({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'ok' } : { calls: [{ name: 'look' }] }),
      recipe: { tools: [note] },
      tools: [note],
      script: [{ calls: [{ name: 'look' }, call, call] }, { text: 'done' }],
    });
    await bench.turn.end();
    expect(ids.size).toBe(3);
  });
});

describe('the host of a subagent', () => {
  const parts = { transformers: [] };
  const look = toolOf('look');
  let ids = 0;
  const own = { createId: (kind: string) => `own_${kind}_${++ids}` };

  test.each<[string, () => EngineOptions | EngineBuilder, 'parent' | 'own']>([
    ['of plain options is the parent’s', () => ({ ...parts, model: scriptedModel([{ text: 'ok' }]) }), 'parent'],
    ['of a builder is the parent’s', () => new EngineBuilder({ model: scriptedModel([{ text: 'ok' }]) }), 'parent'],
    ['that options name is theirs', () => ({ ...parts, host: own, model: scriptedModel([{ text: 'ok' }]) }), 'own'],
    [
      'that a builder names is its own',
      () => new EngineBuilder({ host: own, model: scriptedModel([{ text: 'ok' }]) }),
      'own',
    ],
  ])('%s', async (_what, engine, whose) => {
    const sessions: string[] = [];
    const bench = startAgent({
      child: [],
      type: { engine },
      tools: [look],
      own: {
        operative: (made, conversation, more) => {
          const operative = createOperative({ engine: made, conversation, ...more });
          sessions.push(operative.session.id);
          return operative;
        },
      },
    });
    await bench.turn.end();
    // The parent's host has given the session of the parent's turn before.
    expect(sessions).toEqual([whose === 'parent' ? 'session_2' : expect.stringMatching(/^own_session/)]);
  });
});

describe('recursion', () => {
  const inner = () =>
    agentTool({ inner: { description: 'x', engine: () => ({ model: scriptedModel([]), transformers: [] }) } });
  const look = toolOf('look');

  async function offered(made: EngineOptions | EngineBuilder, allowRecursion?: boolean, own = {}) {
    const bench = startAgent({
      child: [],
      own,
      type: { engine: () => made, ...(allowRecursion === undefined ? {} : { allowRecursion }) },
    });
    await bench.turn.end();
    return (made as { readonly model?: ReturnType<typeof scriptedModel> }).model;
  }

  test.each([
    [undefined, ['look']],
    [false, ['look']],
    [true, ['look', 'Agent']],
  ])('a tool named Agent of a recipe is there with allowRecursion %s: %j', async (allowRecursion, names) => {
    const model = scriptedModel([{ text: 'ok' }]);
    await offered({ model, transformers: [], tools: [look, inner()] }, allowRecursion);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(names);
  });

  test('it is taken out of what a builder builds as well, and everything else stays', async () => {
    const model = scriptedModel([{ text: 'ok' }]);
    const builder = new EngineBuilder({ model, maxOutputTokens: 7 }).addTools([inner(), look]);
    await offered(builder);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['look']);
    expect(model.requests[0]?.maxOutputTokens).toBe(7);
  });

  test('a tool of the Agent tool’s own name is taken out, too', async () => {
    const model = scriptedModel([{ text: 'ok' }]);
    const delegate = toolOf('Delegate');
    await offered({ model, transformers: [], tools: [delegate, look] }, undefined, {
      definition: (definition: object) => ({ ...definition, name: 'Delegate' }),
    });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['look']);
  });

  test.each([1, 3])('nested agents end at a maxDepth of %d, with a result that says so', async (maxDepth) => {
    const host = simulatedHost();
    const results: string[] = [];
    let models = 0;
    const tool: Tool = agentTool(
      {
        again: {
          description: 'Does it again.',
          allowRecursion: true,
          engine: () => {
            models++;
            return {
              transformers: [],
              host,
              tools: [tool],
              model: scriptedModel(({ messages }) => {
                const last = messages.at(-1);
                if (last?.role !== 'tool') return { calls: [{ name: 'Agent', args: { prompt: 'again' } }] };
                const [result] = last.content;
                if (result?.type === 'toolResult') results.push(result.status);
                return { text: 'enough' };
              }),
            };
          },
        },
      },
      { maxDepth },
    );
    const bench = startAgent({
      host,
      child: [],
      own: { definition: (definition) => ({ ...definition, name: 'Unused' }) },
      tools: [tool],
      script: [{ calls: [{ name: 'Agent', args: { prompt: 'go' } }] }, { text: 'done' }],
    });
    await bench.turn.end();
    expect(models).toBe(maxDepth);
    expect(results).toEqual(['failed', ...Array.from({ length: maxDepth - 1 }, () => 'completed')]);
  });
});

describe('maxParallel', () => {
  test('lets the given number work at once; the others follow, and all are answered in call order', async () => {
    let live = 0;
    let most = 0;
    const call = (n: number) => ({ name: 'Agent', args: { prompt: `task ${n}` } });
    const bench = startAgent({
      own: { maxParallel: 2 },
      child: async ({ messages }) => {
        most = Math.max(most, ++live);
        await new Promise((resolve) => bench.host.setTimeout(() => resolve(undefined), 10));
        live--;
        return { text: `did ${messages.map(textOf).join()}` };
      },
      script: [{ calls: [0, 1, 2, 3, 4].map(call) }, { text: 'done' }],
    });
    await bench.turn.end(100);
    expect(most).toBe(2);
    expect(bench.turn.lines().filter((line) => line.startsWith('completed'))).toEqual(
      [0, 1, 2, 3, 4].map((n) => `completed: did task ${n}`),
    );
  });

  test('counts the subagents of one conversation: nested ones do not wait for their own parents', async () => {
    const host = simulatedHost();
    const tool: Tool = agentTool(
      {
        again: {
          description: 'x',
          allowRecursion: true,
          engine: () => ({
            transformers: [],
            host,
            tools: [tool],
            model: scriptedModel(({ messages }) =>
              messages.length === 1 && textOf(messages[0] ?? userMessage('')) === 'outer'
                ? { calls: [{ name: 'Agent', args: { prompt: 'inner' } }] }
                : { text: 'ok' },
            ),
          }),
        },
      },
      { maxParallel: 1 },
    );
    const bench = startAgent({
      host,
      child: [],
      own: { definition: (definition) => ({ ...definition, name: 'Unused' }) },
      tools: [tool],
      script: [{ calls: [{ name: 'Agent', args: { prompt: 'outer' } }] }, { text: 'done' }],
    });
    await bench.turn.end();
    expect(bench.answer()).toBe('completed: ok');
  });
});

describe('what an app replaces', () => {
  test('seed: the scratch conversation', async () => {
    const bench = startAgent({
      child: [{ text: 'ok' }],
      own: {
        seed: (prompt, type) =>
          createConversation({ system: type.description, messages: [userMessage(`<task>${prompt}</task>`)] }),
      },
    });
    await bench.turn.end();
    const [request] = bench.child.requests;
    expect(request?.messages.map(textOf)).toEqual(['<task>Do it.</task>']);
    expect(request?.system).toEqual([{ type: 'text', text: 'Helps.' }]);
  });

  test('seed: where it ends with an answer, or is empty, the prompt is submitted', async () => {
    for (const messages of [[], [userMessage('hi'), assistantMessage('hello')]]) {
      const bench = startAgent({ child: [{ text: 'ok' }], own: { seed: () => createConversation({ messages }) } });
      await bench.turn.end();
      expect(bench.child.requests[0]?.messages.map(textOf).at(-1)).toBe('Do it.');
      expect(bench.answer()).toBe('completed: ok');
    }
  });

  test('operative: how it is made; it is closed in the end', async () => {
    const states: string[] = [];
    const engines: Engine[] = [];
    let made: ReturnType<typeof createOperative> | undefined;
    const bench = startAgent({
      child: [{ text: 'ok' }],
      own: {
        operative: (engine, conversation, own) => {
          engines.push(engine);
          made = createOperative({ engine, conversation, ...own, lateMessages: 'start' });
          made.subscribe(({ type }) => states.push(type));
          return made;
        },
      },
    });
    await bench.turn.end();
    expect([made?.state, states.at(-1), engines.length]).toEqual(['closed', 'operative.closed', 1]);
  });

  test('extractAnswer: any value a tool may return, given the whole conversation and how it ended', async () => {
    const bench = startAgent({
      child: [{ text: 'ok' }],
      own: {
        extractAnswer: ({ messages }, { reason, iterations, turnId }) => ({
          messages: messages.length,
          reason,
          iterations,
          hasTurn: turnId !== '',
        }),
      },
    });
    await bench.turn.end();
    expect(bench.answer()).toBe('completed: {"messages":2,"reason":"completed","iterations":1,"hasTurn":true}');
  });

  test.each([
    [
      'engine',
      {
        type: {
          engine: () => {
            throw new Error('no recipe');
          },
        },
      },
    ],
    [
      'seed',
      {
        own: {
          seed: () => {
            throw new Error('no recipe');
          },
        },
      },
    ],
    [
      'operative',
      {
        own: {
          operative: () => {
            throw new Error('no recipe');
          },
        },
      },
    ],
    [
      'extractAnswer',
      {
        own: {
          extractAnswer: () => {
            throw new Error('no recipe');
          },
        },
        child: [{ text: 'ok' }],
      },
    ],
  ])('%s that throws is a failed call, and the place is free again', async (_what, setup) => {
    const call = { name: 'Agent', args: { prompt: 'x' } };
    const child = 'child' in setup ? [...setup.child, ...setup.child] : [];
    const own = { maxParallel: 1, ...('own' in setup ? setup.own : {}) };
    const bench = startAgent({ ...setup, child, own, script: [{ calls: [call, call] }, { text: 'done' }] });
    await bench.turn.end();
    expect(bench.turn.lines().slice(3, 5)).toEqual(['failed: no recipe', 'failed: no recipe']);
  });

  test('isConcurrencySafe false: one after the other', async () => {
    let live = 0;
    const call = { name: 'Agent', args: { prompt: 'x' } };
    const bench = startAgent({
      own: { isConcurrencySafe: false },
      child: async () => {
        expect(++live).toBe(1);
        await Promise.resolve();
        live--;
        return { text: 'ok' };
      },
      script: [{ calls: [call, call] }, { text: 'done' }],
    });
    await bench.turn.end();
  });
});

test('a ToolResult of extractAnswer is used as it is, whatever the end', async () => {
  const bench = startAgent({
    child: [{ text: 'no', stopReason: 'refusal' }],
    own: { extractAnswer: () => ToolResult.text('mine') },
  });
  await bench.turn.end();
  expect(bench.answer()).toBe('completed: mine');
});

test('engines of typed contexts fit', () => {
  const engine = createEngine<{ readonly user: string }>({
    model: scriptedModel([]),
    tools: [
      agentTool({
        a: { description: 'a', engine: (): EngineOptions<{ readonly user: string }> => ({ model: scriptedModel([]) }) },
      }),
    ],
  });
  expect(engine.tools).toHaveLength(1);
});
