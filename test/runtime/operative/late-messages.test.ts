import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/contracts/errors.ts';
import type { TurnReason } from '../../../src/contracts/events.ts';
import type { Transformer } from '../../../src/contracts/transformer.ts';
import type { ScriptedStep } from '../../../src/testing/index.ts';
import {
  answerAll,
  bothWays,
  deferred,
  never,
  startOperative,
  toolOf,
  type OperativeBench,
  type OperativeSetup,
} from './operative-bench.ts';
import { operativeIn } from './operative-states.ts';

interface LateCase {
  /** Whether `lateMessages: 'start'` starts a turn with the late message. */
  readonly starts: boolean;
  readonly setup: (act: () => void) => OperativeSetup;
  /** What ends the turn, where it does not end by itself. */
  readonly end?: (bench: OperativeBench) => void;
}

const look = (act: () => void) => toolOf('look', act);
const callLook = { calls: [{ name: 'look' }] };
const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });

/** For every reason: a turn in which `act` is called when a steer can only be late. */
const endings: Readonly<Partial<Record<TurnReason, LateCase>>> = {
  completed: {
    starts: true,
    setup: (act) => ({ transformers: [closing(act)] }),
  },
  maxIterations: {
    starts: true,
    setup: (act) => ({ script: firstThen(() => callLook), tools: [look(act)], maxIterations: 1 }),
  },
  maxTokens: {
    starts: true,
    setup: (act) => ({ script: firstThen(asking(act, { text: 'one', stopReason: 'maxTokens' })) }),
  },
  refused: {
    starts: true,
    setup: (act) => ({ script: firstThen(asking(act, { text: 'no', stopReason: 'refusal' })) }),
  },
  contextOverflow: { starts: false, setup: (act) => ({ script: [asking(act, { throw: tooLong })] }) },
  failed: { starts: false, setup: (act) => ({ script: [asking(act, { throw: new Error('down') })] }) },
  aborted: {
    starts: false,
    setup: (act) => ({ script: [asking(act, { text: 'one', stallAfter: 2 })] }),
    end: ({ operative }) => void operative.cancel(),
  },
};
const reasons = Object.entries(endings).map(([reason, given]) => [reason, given] as const);

describe.each(bothWays)('late messages (%s)', (interpreter) => {
  async function playLate(given: LateCase, lateMessages?: 'hold' | 'start'): Promise<OperativeBench> {
    let isFirst = true;
    const bench: OperativeBench = startOperative({
      interpreter,
      ...given.setup(() => {
        if (isFirst) void bench.submit('L');
        isFirst = false;
      }),
      ...(lateMessages === undefined ? {} : { own: { lateMessages } }),
    });
    void bench.submit('A');
    await bench.host.settle();
    given.end?.(bench);
    return bench;
  }

  test.each(reasons)(
    'after %s a late message is appended last, unframed, and announced before the end',
    async (reason, given) => {
      const bench = await playLate(given);
      await bench.rest();
      expect(bench.log().slice(-2)).toEqual(['queued L', `completed ${reason}`]);
      expect(bench.lines().at(-1)).toBe('user L');
      expect(bench.fates().at(-1)).toMatch(/ queued$/);
    },
  );

  test.each(reasons)('lateMessages start after %s', async (_reason, given) => {
    const bench = await playLate(given, 'start');
    await bench.rest();
    expect(bench.fates().at(-1)).toMatch(given.starts ? / answered$/ : / queued$/);
    expect(bench.log().filter((line) => line === 'turn.started')).toHaveLength(given.starts ? 2 : 1);
  });

  test('several late messages keep their order and start one turn with the context of the first', async () => {
    const seen: unknown[] = [];
    const bench = await operativeIn('settling', {
      interpreter,
      own: { lateMessages: 'start' },
      tools: [toolOf('note', (_args, { turnContext }) => void seen.push(turnContext))],
      script: [{ text: 'one' }, { calls: [{ name: 'note' }] }, { text: 'done' }],
    });
    void bench.submit('L1', { turnContext: 'first' });
    void bench.submit('L2', { turnContext: 'second' });
    await bench.rest();
    expect(bench.lines().slice(1, 4)).toEqual(['assistant one', 'user L1', 'user L2']);
    expect(seen).toEqual(['first']);
    expect(bench.results()).toHaveLength(2);
  });

  test('held late messages are answered by the next submit, in front of it', async () => {
    const bench = await operativeIn('settling', { interpreter });
    void bench.submit('L');
    await bench.rest();
    void bench.submit('B');
    await bench.rest();
    expect(bench.requests[1]?.messages.map(({ id }) => id).filter((id) => /^[A-Z]$/.test(id))).toEqual(['A', 'L', 'B']);
  });

  test('held late messages are answered by resume', async () => {
    const bench = await operativeIn('settling', { interpreter });
    void bench.submit('L');
    await bench.rest();
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines().at(-1)).toBe('assistant read 3');
  });

  test('case 1: a message after the last text and before the end is answered by one more call', async () => {
    const bench = startOperative({ interpreter });
    bench.operative.subscribe((event) => {
      if (event.type === 'text.end' && bench.sent.length === 1) void bench.submit('M2');
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.requests).toHaveLength(2);
    expect(bench.requests[1]?.messages.at(-1)?.id).toBe('M2');
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered']);
  });

  test('case 2: a steer at the iteration limit is in the transcript, announced, and resume answers it', async () => {
    const bench: OperativeBench = startOperative({
      interpreter,
      maxIterations: 1,
      tools: [toolOf('look', () => void bench.submit('M2'))],
      script: [{ calls: [{ name: 'look' }] }, { text: 'Hi' }],
    });
    void bench.submit('A');
    await bench.rest(0).catch((error: unknown) => expect(String(error)).toContain('not used'));
    expect(bench.log().slice(-2)).toEqual(['queued M2', 'completed maxIterations']);
    expect(bench.lines()).toEqual(['user A', 'call look', 'completed (no output)', 'user M2']);
    await bench.operative.resume();
    await bench.rest();
    expect(bench.lines().at(-1)).toBe('assistant Hi');
  });

  test('a steer while the model gives its final answer makes the turn continue', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('B');
    await bench.rest();
    expect(bench.log()).toEqual(['turn.started', 'said read 1', 'injected B', 'said read 3', 'completed completed']);
  });

  test('a turn that waits for nothing but afterTurn is settling, and takes no steer', async () => {
    const closed = deferred<undefined>();
    const bench = startOperative({
      interpreter,
      transformers: [{ name: 'slow', afterTurn: () => closed.promise }],
    });
    void bench.submit('A');
    await bench.host.settle();
    expect(bench.operative.state).toBe('settling');
    expect((await bench.submit('L')).outcome).toBe('queued');
    closed.resolve(undefined);
    await bench.rest();
  });

  test('afterTurn runs for every reason but aborted and failed', async () => {
    const ran: string[] = [];
    for (const [reason, given] of reasons) {
      const { transformers = [], ...setup } = given.setup(() => undefined);
      const noting: Transformer = { name: 'note', afterTurn: () => void ran.push(reason) };
      const bench = startOperative({ interpreter, ...setup, transformers: [...transformers, noting] });
      void bench.submit('A');
      await bench.host.settle();
      given.end?.(bench);
      await bench.host.settle();
      expect(bench.log().at(-1)).toBe(`completed ${reason}`);
    }
    expect(ran).toEqual(
      reasons.map(([reason]) => reason).filter((reason) => reason !== 'aborted' && reason !== 'failed'),
    );
  });

  test('a steer cancelled before its drain is late', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('B');
    await bench.operative.cancel();
    await bench.rest();
    expect(bench.log()).toEqual(['turn.started', 'queued B', 'completed aborted']);
    expect(bench.fates()).toEqual(['startedTurn unanswered', 'injected queued']);
  });

  test('late and held messages are merged by their order of acceptance', async () => {
    const bench = await operativeIn('settling', { interpreter });
    void bench.submit('L1');
    void bench.submit('Q', { policy: 'queue' });
    void bench.submit('L2');
    await bench.rest();
    expect(bench.lines().slice(2, 5)).toEqual(['user L1', 'user Q', 'user L2']);
    expect(bench.fates().slice(1)).toEqual(['queued answered', 'queued answered', 'queued answered']);
  });

  test('the queue of a turn that never ends waits with it', async () => {
    const bench = startOperative({
      interpreter,
      tools: [toolOf('look', () => never())],
      script: [{ calls: [{ name: 'look' }] }],
    });
    void bench.submit('A');
    void bench.submit('Q', { policy: 'queue' });
    await bench.host.advance(100_000);
    expect(bench.conversation.messages.map(({ id }) => id)).not.toContain('Q');
    void bench.operative.close();
    await bench.rest();
  });
});

function asking(act: () => void, step: ScriptedStep): () => ScriptedStep {
  return () => {
    act();
    return step;
  };
}

/** Answers the first call by `first` and every other as always. */
function firstThen(first: () => ScriptedStep) {
  return (request: Parameters<typeof answerAll>[0], { index }: { readonly index: number }) =>
    index === 0 ? first() : answerAll(request);
}

function closing(act: () => void): Transformer {
  return { name: 'closing', afterTurn: act };
}
