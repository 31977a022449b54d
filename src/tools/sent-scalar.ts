// Numbers and booleans that models send as text. Called by the readers of our own tools' arguments.

import { decodeArguments } from './decode-arguments.ts';
import { ownValue, type SchemaRecord } from './schema-node.ts';

/** The number or boolean that a model sent as text, if that type is expected; any other value unchanged. */
export function scalarMeant(type: unknown, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.length === 4;
  // Longer ones would be rounded.
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}$/.test(text)) return Number(text);
  return value;
}

/**
 * Arguments in any form, with the scalars that the schema expects and without null in fields that may be absent. Never
 * throws: what cannot be decoded is passed on unchanged, and the check of the arguments says what is wrong.
 */
export function argumentsMeant(sent: unknown, { properties, required }: SchemaRecord): unknown {
  try {
    const decoded = decodeArguments(sent);
    if (!decoded.ok) return sent;
    const meant = Object.entries(decoded.args).flatMap(([name, value]) => {
      if (value === null && !(Array.isArray(required) && required.includes(name))) return [];
      return [[name, scalarMeant(ownValue(ownValue(properties, name), 'type'), value)]];
    });
    return Object.fromEntries(meant);
  } catch {
    return sent;
  }
}
