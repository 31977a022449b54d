// Validates an input before anything is done with it. Called by session.ts for each input.

import { messageOf, TurnchartError } from '../contracts/errors.ts';
import type { RealtimeCapability, RealtimeInput } from '../contracts/realtime.ts';
import { describeGiven } from '../contracts/option-table.ts';
import {
  bytes,
  changes,
  choice,
  image,
  number,
  optionalNumber,
  optionalText,
  request,
  result,
  text,
  type Fault,
  type InputFields,
} from './input-fields.ts';

type Check = (input: InputFields) => Fault;

/** Every input: the capability it needs and the fields it must have. */
const inputs: Readonly<Record<RealtimeInput['type'], { readonly needs?: RealtimeCapability; readonly check?: Check }>> =
  {
    'audio.append': {
      needs: 'audioInProcess',
      check: (input) => bytes(input, 'audio') ?? choice(input, 'whenFull', ['drop', 'wait']),
    },
    'audio.commit': { needs: 'audioInProcess' },
    'audio.clear': { needs: 'audioInProcess' },
    'activity.start': { needs: 'manualTurns' },
    'activity.end': { needs: 'manualTurns' },
    'text.send': {
      needs: 'textInput',
      check: (input) => text(input, 'text') ?? choice(input, 'role', roles) ?? respond(input),
    },
    'image.send': {
      needs: 'imageInput',
      check: (input) => image(input) ?? optionalText(input, 'text') ?? respond(input),
    },
    'response.request': { check: request },
    'response.interrupt': { needs: 'interrupt', check: (input) => optionalNumber(input, 'playedMs') },
    'session.update': { needs: 'midSessionUpdate', check: changes },
    'playback.report': {
      check: (input) =>
        input['mark'] === undefined
          ? (text(input, 'itemId') ??
            optionalNumber(input, 'contentIndex') ??
            (input['playedBytes'] === undefined ? number(input, 'playedMs') : number(input, 'playedBytes')))
          : number(input, 'mark'),
    },
    'toolResult.send': {
      needs: 'toolCalling',
      check: (input) => text(input, 'callId') ?? result(input) ?? choice(input, 'respond', ['auto', 'now', 'silent']),
    },
    'raw.send': {
      check: ({ json, payload }) =>
        typeof json === 'string' || payload !== undefined ? undefined : 'either json (a text) or payload must be given',
    },
    'call.hangup': { needs: 'callControl' },
    'call.refer': { needs: 'callControl', check: (input) => text(input, 'targetUri') },
    'call.dtmf': { needs: 'callControl', check: (input) => text(input, 'digits') },
  };

const roles = ['user', 'system', 'assistant'];

/** Returns the input unchanged. Throws `message.invalid` with what was wrong, what was expected and what to do. */
export function checkInput(input: unknown, capabilities: ReadonlySet<RealtimeCapability>): RealtimeInput {
  try {
    const fault = faultOf(input, capabilities);
    if (fault === undefined) return input as RealtimeInput; // checked field by field above
    throw new TurnchartError('message.invalid', fault);
  } catch (thrown) {
    if (thrown instanceof TurnchartError) throw thrown;
    throw new TurnchartError('message.invalid', `The input could not be read: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function faultOf(input: unknown, capabilities: ReadonlySet<RealtimeCapability>): string | undefined {
  if (typeof input !== 'object' || input === null) return `An input must be an object, got ${describeGiven(input)}.`;
  const fields = input as InputFields;
  const { type } = fields;
  if (typeof type !== 'string' || !Object.hasOwn(inputs, type)) {
    return `There is no input "${String(type)}". Known inputs: ${Object.keys(inputs).join(', ')}.`;
  }
  const { needs, check } = inputs[type as RealtimeInput['type']];
  if (needs !== undefined && !capabilities.has(needs)) {
    return `This session cannot do "${type}": it lacks the capability "${needs}". It has: ${[...capabilities].join(', ')}.`;
  }
  const fault = check?.(fields);
  return fault === undefined ? undefined : `The input "${type}" is not valid: ${fault}.`;
}

function respond(input: InputFields): Fault {
  return choice(input, 'respond', ['auto', 'now', 'never']);
}
