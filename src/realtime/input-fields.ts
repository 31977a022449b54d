// Checks for the fields of an input: each returns what is wrong with a field, or undefined. Called by check-input.ts.

import { describeGiven } from '../contracts/option-table.ts';

/** An unchecked input. */
export type InputFields = Readonly<Record<string, unknown>>;

/** What is wrong, as the end of a sentence; undefined = nothing. */
export type Fault = string | undefined;

/** A non-empty string. */
export function text(input: InputFields, field: string): Fault {
  const value = input[field];
  return fault(typeof value === 'string' && value !== '', field, 'a text', value);
}

/** A number of at least 0. */
export function number(input: InputFields, field: string): Fault {
  const value = input[field];
  return fault(typeof value === 'number' && value >= 0, field, 'a number, 0 or more', value);
}

/** Like `number`, or absent. */
export function optionalNumber(input: InputFields, field: string): Fault {
  return input[field] === undefined ? undefined : number(input, field);
}

/** One of these words, or absent. */
export function choice(input: InputFields, field: string, known: readonly string[]): Fault {
  const value = input[field];
  const fits = value === undefined || (typeof value === 'string' && known.includes(value));
  return fault(fits, field, `one of ${known.join(', ')}`, value);
}

/** An image block with a usable source. */
export function image({ image: block }: InputFields): Fault {
  const source = isObject(block) && block['type'] === 'image' && isObject(block['source']) ? block['source'] : {};
  const isText = (field: string): boolean => typeof source[field] === 'string';
  const fits =
    (source['type'] === 'base64' && isText('mediaType') && isText('data')) ||
    (source['type'] === 'url' && isText('url')) ||
    (source['type'] === 'file' && isText('provider') && isText('fileId'));
  return fault(fits, 'image', 'an image block with a source', block);
}

/** The fields of `response.request`. */
export function request(input: InputFields): Fault {
  return (
    optionalText(input, 'instructions') ??
    shared(input) ??
    list(input, 'modalities', (one) => one === 'audio' || one === 'text', '"audio" and "text"') ??
    fault(
      input['outOfBand'] === undefined || typeof input['outOfBand'] === 'boolean',
      'outOfBand',
      'true or false',
      input['outOfBand'],
    )
  );
}

/** The fields of `session.update`. */
export function changes(input: InputFields): Fault {
  const { turnDetection, inputTranscription } = input;
  const hasMode = isObject(turnDetection) && ['server', 'semantic', 'manual'].includes(String(turnDetection['mode']));
  return (
    list(input, 'systemPrompt', (one) => isObject(one) && typeof one['type'] === 'string', 'blocks') ??
    shared(input) ??
    fault(
      turnDetection === undefined || hasMode,
      'turnDetection',
      '{ mode: "server" | "semantic" | "manual" }',
      turnDetection,
    ) ??
    fault(
      inputTranscription === undefined || inputTranscription === 'off' || isObject(inputTranscription),
      'inputTranscription',
      '"off" or an object',
      inputTranscription,
    ) ??
    choice(input, 'noiseReduction', ['near', 'far', 'off']) ??
    optionalNumber(input, 'speed')
  );
}

/** The bytes of audio. */
export function bytes(input: InputFields, field: string): Fault {
  return fault(input[field] instanceof Uint8Array, field, 'a Uint8Array', input[field]);
}

/** Anything a tool may return. */
export function result({ result: value }: InputFields): Fault {
  return fault(
    typeof value === 'string' || (typeof value === 'object' && value !== null),
    'result',
    'text, blocks or a tool result',
    value,
  );
}

/** Any text, or nothing. */
export function optionalText(input: InputFields, field: string): Fault {
  const value = input[field];
  return fault(value === undefined || typeof value === 'string', field, 'a text', value);
}

function shared(input: InputFields): Fault {
  const { toolChoice } = input;
  const isNamed = isObject(toolChoice) && typeof toolChoice['tool'] === 'string';
  return (
    list(input, 'tools', isTool, 'tools') ??
    fault(
      toolChoice === undefined || isNamed || ['auto', 'none', 'required'].includes(String(toolChoice)),
      'toolChoice',
      'auto, none, required or { tool: name }',
      toolChoice,
    ) ??
    optionalText(input, 'voice') ??
    optionalNumber(input, 'maxOutputTokens')
  );
}

// A tool, or its definition.
function isTool(value: unknown): boolean {
  const definition = isObject(value) && isObject(value['definition']) ? value['definition'] : value;
  return isObject(definition) && typeof definition['name'] === 'string' && isObject(definition['parameters']);
}

function list(input: InputFields, field: string, fits: (one: unknown) => boolean, of: string): Fault {
  const value = input[field];
  return fault(value === undefined || (Array.isArray(value) && value.every(fits)), field, `a list of ${of}`, value);
}

function fault(fits: boolean, field: string, expected: string, got: unknown): Fault {
  return fits ? undefined : `${field} must be ${expected}, got ${describeGiven(got)}`;
}

function isObject(value: unknown): value is InputFields {
  return typeof value === 'object' && value !== null;
}
