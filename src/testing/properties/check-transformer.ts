// Runs a transformer on arbitrary conversations and reports the smallest one on which it breaks a law.

import type { Arbitrary } from 'fast-check';
import { messageOf } from '../../contracts/errors.ts';
import type { Transformer } from '../../contracts/transformer.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Message } from '../../conversation/message.ts';
import { conversations } from './conversations.ts';
import type { Law } from './laws/law.ts';
import { laws as allLaws } from './laws/laws.ts';
import { NotSettled } from '../settled-soon.ts';
import { Trial } from './trial.ts';
import { fc } from './fast-check.ts';

/** Options of `checkTransformer`. */
export interface CheckTransformerOptions {
  /** Default: all of `laws`. */
  readonly laws?: readonly Law[];
  /** Number of conversations to try. Default 200. */
  readonly runs?: number;
  /** Repeats a run. Default: a random seed, which a failure names. */
  readonly seed?: number;
  /** The model's context window, which the transformer reads as `context.model.info.contextTokens`. Default 1,000. */
  readonly contextTokens?: number;
  /** Default: all kinds of valid ones, with up to 30 messages and texts of up to a few kilobytes. */
  readonly conversations?: Arbitrary<Conversation>;
  /**
   * For a transformer that waits for timers or I/O: how long one call may take, in milliseconds. Default: no timer is
   * used, and a call that is still pending after a thousand macrotasks counts as hanging.
   */
  readonly timeoutMs?: number;
}

/** A transformer broke a law. The message contains everything needed to reproduce it, with the conversation as JSON. */
export class TransformerLawError extends Error {
  override readonly name = 'TransformerLawError';
  /** The law's name. */
  readonly law: string;
  /** The smallest conversation found. */
  readonly counterexample: Conversation;
  readonly seed: number;

  constructor(
    message: string,
    parts: { readonly law: string; readonly counterexample: Conversation; readonly seed: number },
  ) {
    super(message);
    this.law = parts.law;
    this.counterexample = parts.counterexample;
    this.seed = parts.seed;
  }
}

/**
 * Rejects with a `TransformerLawError` if the transformer, or several applied in order, break a law on some valid
 * conversation. Works in any test runner.
 */
export async function checkTransformer(
  transformer: Transformer | readonly Transformer[],
  options: CheckTransformerOptions = {},
): Promise<void> {
  const transformers: readonly Transformer[] = 'name' in transformer ? [transformer] : transformer;
  const { laws = Object.values(allLaws), runs = 200, contextTokens = 1000, timeoutMs } = options;
  const source = options.conversations ?? conversations({ maxRepeats: 300 });
  let breaches = 0;
  let tries = 0;
  const property = fc.asyncProperty(source, async (conversation) => {
    // Enough attempts at a smaller conversation.
    if (breaches > 0 && ++tries > mostShrinks) return;
    // A copy, so that changes in place do not reach the counterexample.
    await checkLaws(new Trial(transformers, structuredClone(conversation), contextTokens, timeoutMs), laws).catch(
      (thrown: unknown) => {
        breaches++;
        throw thrown;
      },
    );
  });
  const details = await fc.check(property, {
    numRuns: runs,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  });
  if (!details.failed) return;
  const breach = details.errorInstance;
  const [conversation] = details.counterexample ?? [];
  if (!(breach instanceof Breach) || conversation === undefined) throw breach;
  const name = transformers.map((each) => each.name).join(', ');
  const trial = new Trial(transformers, structuredClone(conversation), contextTokens, timeoutMs);
  throw new TransformerLawError(
    [
      `The transformer "${name}" breaks the law ${breach.law.name}: ${breach.law.says}.`,
      `  ${breach.message}`,
      `Found after ${details.numRuns} conversations, with contextTokens: ${contextTokens}. The smallest one:`,
      JSON.stringify(conversation),
      await differences(trial),
      `Again: checkTransformer(${name}, { seed: ${details.seed}, runs: ${runs}, contextTokens: ${contextTokens} })`,
    ].join('\n'),
    { law: breach.law.name, counterexample: conversation, seed: details.seed },
  );
}

/** Most conversations tried in order to make a counterexample smaller. */
const mostShrinks = 2000;

class Breach extends Error {
  readonly law: Law;

  constructor(law: Law, message: string) {
    super(message);
    this.law = law;
  }
}

async function checkLaws(trial: Trial, laws: readonly Law[]): Promise<void> {
  for (const law of laws) {
    let fault: string | undefined;
    try {
      fault = await law.check(trial);
    } catch (thrown) {
      fault = `the transformer ${thrown instanceof NotSettled ? 'hangs' : 'threw'}: ${messageOf(thrown)}`;
    }
    if (fault !== undefined) throw new Breach(law, fault);
  }
}

// What each stage changed, one line per message: "-" removed, "+" new or changed.
async function differences(trial: Trial): Promise<string> {
  try {
    const lines: string[] = [];
    for (const { stage, before, after } of await trial.outcomes()) {
      lines.push(`${stage}:`);
      const kept = new Set(after.messages.map(lineOf));
      const known = new Set(before.messages.map(lineOf));
      for (const message of before.messages)
        lines.push(`  ${kept.has(lineOf(message)) ? ' ' : '-'} ${lineOf(message)}`);
      for (const message of after.messages) if (!known.has(lineOf(message))) lines.push(`  + ${lineOf(message)}`);
    }
    return lines.join('\n');
  } catch (thrown) {
    return `It threw: ${messageOf(thrown)}`;
  }
}

function lineOf({ id, role, content }: Message): string {
  return `${id} ${role} ${JSON.stringify(content)}`;
}
