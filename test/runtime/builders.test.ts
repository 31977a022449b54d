import { describe, expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { EngineBuilder } from '../../src/runtime/builders.ts';
import { createBackgroundTasks } from '../../src/runtime/background-tasks.ts';
import { internalsOf } from '../../src/runtime/engine-internals.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { defineBackgroundTool } from '../../src/tools/define-background-tool.ts';
import { toolOf } from './turn-bench.ts';

describe('EngineBuilder', () => {
  test('makes a new builder at every step: a half-built one can be shared', () => {
    const base = new EngineBuilder().withModel(scriptedModel([]));
    const one = base.addTool(toolOf('a'));
    const other = base.addTools([toolOf('b'), toolOf('c')]);
    const names = (builder: EngineBuilder) => builder.build().tools.map(({ name }) => name);
    expect([names(base), names(one), names(other), names(one.addTool(toolOf('b')))]).toEqual([
      [],
      ['a'],
      ['b', 'c'],
      ['a', 'b'],
    ]);
  });

  test('adds transformers after those there are', async () => {
    const order: string[] = [];
    const noting = (name: string) => ({ name, beforeTurn: () => void order.push(name) });
    const engine = new EngineBuilder()
      .withModel(scriptedModel([{ text: 'x' }]))
      .addTransformer(noting('a'))
      .addTransformer(noting('b'))
      .build();
    await engine.run(createConversation({ messages: [userMessage('go')] })).result;
    expect(order).toEqual(['a', 'b']);
  });

  test('withBackgroundTasks runs background tools in that registry', async () => {
    const tasks = createBackgroundTasks();
    const slow = defineBackgroundTool({
      name: 'slow',
      description: 'Takes its time.',
      parameters: { type: 'object', properties: {} },
      execute: () => 'done at last',
    });
    const model = scriptedModel([{ calls: [{ name: 'slow', args: { run_in_background: true } }] }, { text: 'x' }]);
    const engine = new EngineBuilder().withModel(model).addTool(slow).withBackgroundTasks(tasks).build();
    await engine.run(createConversation({ messages: [userMessage('go')] })).result;
    const [task] = tasks.list();
    expect(engine.tools.map(({ name }) => name)).toEqual(['slow', 'TaskOutput', 'TaskStop']);
    expect(task?.toolName).toBe('slow');
    expect((await tasks.settled(task?.id ?? '')).status).toBe('completed');
    await tasks.close();
  });

  test('takes any option; what is given later replaces what was there', async () => {
    const model = scriptedModel([{ calls: [{ name: 'a' }] }]);
    const engine = new EngineBuilder({ maxIterations: 5 })
      .withModel(model)
      .with({ tools: [toolOf('a')] })
      .with({ maxIterations: 1 })
      .build();
    const { result } = engine.run(createConversation({ messages: [userMessage('go')] }));
    expect(await result).toMatchObject({ reason: 'maxIterations', iterations: 1 });
  });

  test('fromDefaults has the model and the default transformers, as createEngine; a new builder has none', () => {
    const model = scriptedModel([]);
    const stages = (engine: object) => internalsOf(engine).settings.stages;
    const none = { beforeTurn: false, beforeIteration: false, afterIteration: false, afterTurn: false };
    expect(EngineBuilder.fromDefaults(model).build().model).toBe(model);
    expect(stages(EngineBuilder.fromDefaults(model).build())).toEqual(stages(createEngine({ model })));
    expect(stages(createEngine({ model }))).toMatchObject({ beforeIteration: true });
    expect(stages(new EngineBuilder().withModel(model).build())).toEqual(none);
    expect(stages(new EngineBuilder({ model, transformers: undefined } as object).build())).toEqual(none);
    expect(stages(createEngine({ model, transformers: [] }))).toEqual(none);
  });

  test('without a model build throws options.invalid and says what to call', () => {
    expect(() => new EngineBuilder().build()).toThrow(
      expect.objectContaining({
        code: 'options.invalid',
        message: 'An engine needs a model: call withModel(model) before build().',
      }) as Error,
    );
  });

  test('build refuses what createEngine refuses', () => {
    const twice = new EngineBuilder().withModel(scriptedModel([])).addTools([toolOf('a'), toolOf('a')]);
    expect(() => twice.build()).toThrow(expect.objectContaining({ code: 'tool.duplicateName' }) as Error);
  });

  test('buildOperative makes engine and operative in one call', async () => {
    const conversation = createConversation();
    const operative = new EngineBuilder().withModel(scriptedModel([{ text: 'Hi' }])).buildOperative(conversation);
    const { delivery } = await operative.submit('go');
    expect((await delivery).status).toBe('answered');
    expect(operative.conversation).toBe(conversation);
    await operative.close();
  });
});
