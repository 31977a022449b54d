// JSON as a type: what blocks, tool arguments and metadata are made of. Used by every room.

/** Anything that survives `JSON.parse(JSON.stringify(value))`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Free-form facts attached to a message; stored with it and never sent to a model. */
export type Meta = { readonly [key: string]: JsonValue };
