// The two error classes of the library and their closed list of codes. Each code has a heading in docs/errors.md.

/** Every code a `TurnchartError` can carry. Closed: a new code comes with a heading in docs/errors.md. */
export const errorCodes = [
  'conversation.invalid',
  'conversation.busy',
  'message.invalid',
  'tool.invalid',
  'tool.invalidName',
  'tool.duplicateName',
  'options.invalid',
  'engine.foreign',
  'events.consumed',
  'model.failed',
  'model.rejected',
  'model.unauthorized',
  'model.notFound',
  'model.rateLimited',
  'model.overloaded',
  'model.contextOverflow',
  'model.connection',
  'stream.incomplete',
  'stream.idle',
  'stream.protocol',
  'turn.broken',
  'transformer.failed',
  'transformer.brokenPairs',
  'reload.failed',
  'operative.closed',
  'task.unknown',
  'task.closed',
  'peer.missing',
] as const;

/** What went wrong, for programs to switch on. */
export type ErrorCode = (typeof errorCodes)[number];

/** What `JSON.stringify` shows of an error; never the cause, which may hold secrets. */
export interface ErrorJson {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
}

// Registered symbols: two copies of the library in one program recognise each other's errors.
const errorMarker = Symbol.for('turnchart.error');
const modelErrorMarker = Symbol.for('turnchart.modelError');

/** The base of every error the library throws or reports. The message says what happened and what to do. */
export class TurnchartError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'TurnchartError';
    this.code = code;
    Object.defineProperty(this, errorMarker, { value: true });
  }

  /** Name, code and message, for logs and events. */
  toJSON(): ErrorJson {
    return { name: this.name, code: this.code, message: this.message };
  }
}

/** What a `ModelError` knows besides its code and message. */
export interface ModelErrorOptions {
  /** Whether the same request may succeed later: the turn retries only these. */
  readonly retryable: boolean;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** HTTP status. */
  readonly status?: number;
  /** The provider's own code, such as `overloaded_error`. */
  readonly providerCode?: string;
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** A model call that failed. Models throw it; the turn retries it, or ends with it as `TurnResult.error`. */
export class ModelError extends TurnchartError {
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
  readonly providerCode?: string;
  readonly requestId?: string;

  constructor(code: ErrorCode, message: string, options: ModelErrorOptions) {
    super(code, message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ModelError';
    this.retryable = options.retryable;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.status !== undefined) this.status = options.status;
    if (options.providerCode !== undefined) this.providerCode = options.providerCode;
    if (options.requestId !== undefined) this.requestId = options.requestId;
    Object.defineProperty(this, modelErrorMarker, { value: true });
  }

  override toJSON(): ErrorJson {
    return { ...super.toJSON(), retryable: this.retryable };
  }
}

/** True for errors of this library, also when they come from another installed copy of it. */
export function isTurnchartError(value: unknown): value is TurnchartError {
  return hasMarker(value, errorMarker);
}

/** True for `ModelError`, also when it comes from another installed copy of the library. */
export function isModelError(value: unknown): value is ModelError {
  return hasMarker(value, modelErrorMarker);
}

/**
 * A readable one-line text of anything thrown: errors give their message, the rest is turned into a string. Never
 * throws.
 */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message === '' ? thrown.name : String(thrown.message);
    if (typeof thrown === 'string') return thrown;
    // Not its JSON, which may be cyclic or arbitrarily large.
    if (typeof thrown === 'object' && thrown !== null) {
      return 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : String(thrown);
    }
    return String(thrown);
  } catch {
    return '(unreadable value)';
  }
}

/** As `messageOf`, for the middle of a sentence: without a period at the end. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown).replace(/\.$/, '');
}

function hasMarker(value: unknown, marker: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && Reflect.get(value, marker) === true;
  } catch {
    return false; // a hostile proxy is not one of our errors
  }
}
