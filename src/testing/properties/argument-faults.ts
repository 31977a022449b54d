// Arbitrary tool calls with arguments that the tool's schema refuses. Called by property tests of tools and of engines.

import type { Arbitrary } from 'fast-check';
import type { ToolDefinition } from '../../contracts/model.ts';
import type { ToolCallBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { argumentParser } from '../../tools/parse-arguments.ts';
import { fc } from './fast-check.ts';
import { jsonValues, texts } from './json-values.ts';

/** One of each type of JSON, and such as models send in their place. */
const samples: readonly JsonValue[] = [null, true, -1, 1.5, '', 'text', '7', [], ['text'], {}, { text: 'text' }];

/** Pieces of JSON that a model left unfinished, or wrote as something else. */
const noJson = ['', '{', '{"a":', '{"a":1,}', "{'a':1}", '{"a":1} and so on', '<a>1</a>', '{"a":NaN}', '"\\ud83'];

/**
 * Calls of a tool that it must refuse: arguments that are no JSON (`rawArgs`), no object, lack a required field, have one
 * of another type or value or one that is unknown, as far as types, `required`, `enum` and `additionalProperties` say and
 * as far as the runtime does not mend them (an object written as a text, `null` for no arguments).
 * Where the schema takes everything, only those that are no JSON.
 */
export function argumentFaults(tool: Pick<ToolDefinition, 'name' | 'parameters'>): Arbitrary<ToolCallBlock> {
  const parse = argumentParser(tool.name, tool.parameters);
  const fits = (value: JsonValue) => parse(value).ok;
  const refused = (values: readonly JsonValue[]) => {
    const wrong = values.filter((value) => !fits(value));
    return wrong.length === 0 ? [] : [fc.constantFrom(...wrong)];
  };
  const { properties } = tool.parameters;
  const names = [...Object.keys(typeof properties === 'object' && properties !== null ? properties : {}), 'unknown'];
  const wrongArgs = [
    ...refused(samples),
    ...names.flatMap((name) => refused(samples.map((value) => ({ [name]: value })))),
    // What is refused as a number is so with anything else in it, too.
    ...(fits(1.5) ? [] : [jsonValues().filter((value) => !fits(value))]),
  ];
  const call = (body: Pick<ToolCallBlock, 'args' | 'rawArgs'>): ToolCallBlock => ({
    type: 'toolCall',
    id: 'call_1',
    name: tool.name,
    ...body,
  });
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...noJson).map((rawArgs) => call({ rawArgs })) },
    { weight: 1, arbitrary: texts().map((text) => call({ rawArgs: `{"text": ${text}` })) },
    ...wrongArgs.map((arbitrary) => ({ weight: 4, arbitrary: arbitrary.map((args) => call({ args })) })),
  );
}
