// JSON as a type: what blocks, tool arguments and metadata are made of. Used everywhere.

/** Anything that survives `JSON.parse(JSON.stringify(value))`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Any data attached to a message. It is stored with it and never sent to a model. */
export type Meta = { readonly [key: string]: JsonValue };
