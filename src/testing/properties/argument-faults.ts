// Arbitrary tool calls with arguments that the tool's schema refuses. Called by property tests of tools and engines.

import type { Arbitrary } from 'fast-check';
import type { ToolDefinition } from '../../contracts/model.ts';
import type { ToolCallBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { argumentParser } from '../../tools/parse-arguments.ts';
import { fc } from './fast-check.ts';
import { jsonValues, texts } from './json-values.ts';

/** One value of each JSON type, and values that models send instead. */
const samples: readonly JsonValue[] = [null, true, -1, 1.5, '', 'text', '7', [], ['text'], {}, { text: 'text' }];

/** Texts that are not JSON: unfinished, or in another syntax. */
const notJson = ['', '{', '{"a":', '{"a":1,}', "{'a':1}", '{"a":1} and so on', '<a>1</a>', '{"a":NaN}', '"\\ud83'];

/**
 * Calls that the tool must refuse: arguments that are not JSON (`rawArgs`) or not an object, that lack a required field or
 * have an unknown one, or one of another type or value. Judged by types, `required`, `enum` and `additionalProperties`;
 * arguments that the runtime corrects (an object written as a text, `null` for no arguments) are left out. If the schema
 * accepts everything, only calls that are not JSON.
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
    // A schema that refuses a number refuses other values too.
    ...(fits(1.5) ? [] : [jsonValues().filter((value) => !fits(value))]),
  ];
  const call = (body: Pick<ToolCallBlock, 'args' | 'rawArgs'>): ToolCallBlock => ({
    type: 'toolCall',
    id: 'call_1',
    name: tool.name,
    ...body,
  });
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...notJson).map((rawArgs) => call({ rawArgs })) },
    { weight: 1, arbitrary: texts().map((text) => call({ rawArgs: `{"text": ${text}` })) },
    ...wrongArgs.map((arbitrary) => ({ weight: 4, arbitrary: arbitrary.map((args) => call({ args })) })),
  );
}
