// The registry of background tasks beside a reference that knows no chart, through random lives.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { ToolResult } from '../../src/tools/tool-result.ts';
import { taskBench, type TaskBench } from '../runtime/background-bench.ts';
import { Tally } from './tally.ts';

const runs = 400 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const graceMs = 50;
const maxRetained = 3;

interface ModelTask {
  readonly id: string;
  readonly owner: string;
  status: string;
  output: string;
  stopsAt: number;
  /** Told to stop as the how manieth. */
  stopped: number;
  /** Somebody waits for its end. */
  waits: string[];
  isForgotten: boolean;
}

class Reference {
  state = 'open';
  now = 0;
  readonly tasks: ModelTask[] = [];
  readonly settled: ModelTask[] = [];
  readonly log: string[] = [];
  readonly answers: string[] = [];
  closers = 0;
  closed = 0;
  #stops = 0;

  get live(): readonly ModelTask[] {
    return this.tasks.filter(({ status }) => status === 'running' || status === 'stopping');
  }

  start(owner: string): boolean {
    if (this.state !== 'open') return false;
    const id = `task_${this.tasks.length + 1}`;
    this.tasks.push({
      id,
      owner,
      status: 'running',
      output: '',
      stopsAt: Infinity,
      stopped: 0,
      waits: [],
      isForgotten: false,
    });
    this.log.push(`started ${id}`);
    return true;
  }

  write(task: ModelTask, text: string): void {
    if (!this.live.includes(task)) return;
    task.output += text;
    this.log.push(`output ${task.id}`);
  }

  settle(task: ModelTask, isError: boolean): void {
    if (!this.live.includes(task)) return;
    this.#end(task, task.status === 'stopping' ? 'stopped' : isError ? 'failed' : 'completed');
  }

  stop(task: ModelTask): void {
    if (task.status !== 'running') return;
    task.status = 'stopping';
    task.stopsAt = this.now + graceMs;
    task.stopped = ++this.#stops;
  }

  wait(task: ModelTask, name: string): void {
    if (task.isForgotten) this.answers.push(`${name} task.unknown`);
    else if (this.live.includes(task)) task.waits.push(name);
    else this.answers.push(`${name} ${task.status}`);
  }

  advance(ms: number): void {
    const end = this.now + ms;
    const due = this.live
      .filter(({ stopsAt }) => stopsAt <= end)
      .toSorted((a, b) => a.stopsAt - b.stopsAt || a.stopped - b.stopped);
    for (const task of due) {
      this.now = task.stopsAt;
      this.#end(task, 'stopped');
    }
    this.now = end;
  }

  close(): void {
    this.closers++;
    if (this.state === 'open') for (const task of this.live) this.stop(task);
    if (this.state === 'open') this.state = 'closing';
    this.#look();
  }

  #end(task: ModelTask, status: string): void {
    task.status = status;
    task.stopsAt = Infinity;
    this.log.push(`${status} ${task.id}`);
    for (const name of task.waits.splice(0)) this.answers.push(`${name} ${status}`);
    this.settled.push(task);
    while (this.settled.length > maxRetained) {
      const oldest = this.settled.shift();
      if (oldest !== undefined) oldest.isForgotten = true;
    }
    this.#look();
  }

  #look(): void {
    if (this.state === 'open' || this.live.length > 0) return;
    this.state = 'closed';
    this.closed += this.closers;
    this.closers = 0;
  }
}

class Real {
  readonly bench: TaskBench = taskBench({ stopGraceMs: graceMs, maxRetained });
  readonly answers: string[] = [];
  closed = 0;
  refused = 0;

  ask(name: string, asked: Promise<{ readonly status: string }>): void {
    asked.then(
      ({ status }) => this.answers.push(`${name} ${status}`),
      (error: { readonly code: string }) => this.answers.push(`${name} ${error.code}`),
    );
  }
}

const tally = new Tally();

class Command implements fc.AsyncCommand<Reference, Real> {
  readonly #name: string;
  readonly #run: (model: Reference, real: Real) => unknown;

  constructor(name: string, run: (model: Reference, real: Real) => unknown) {
    this.#name = name;
    this.#run = run;
  }

  check(): boolean {
    return true;
  }

  async run(model: Reference, real: Real): Promise<void> {
    await this.#run(model, real);
    await real.bench.host.settle();
    const { bench } = real;
    assert.deepEqual(
      bench.tasks.list().map(({ id, owner, status, output }) => ({ id, owner, status, output })),
      model.tasks
        .filter(({ isForgotten }) => !isForgotten)
        .map(({ id, owner, status, output }) => ({ id, owner, status, output })),
    );
    assert.deepEqual(bench.log(), model.log);
    assert.deepEqual(real.answers.toSorted(), model.answers.toSorted());
    assert.equal(real.closed, model.closed);
    // A timer for each task that is being stopped, and none else.
    assert.equal(bench.host.pendingTimers(), model.live.filter(({ status }) => status === 'stopping').length);
    for (const [index, { context }] of bench.works.entries()) {
      assert.equal(context.signal.aborted, model.tasks[index]?.status === 'stopping' || stopped(model.tasks[index]));
    }
  }

  toString(): string {
    return this.#name;
  }
}

const stopped = (task: ModelTask | undefined) => task?.status === 'stopped';

const place = fc.nat({ max: 5 });
let asked = 0;

const commands = [
  fc.constantFrom('me', 'you').map(
    (owner) =>
      new Command(`start ${owner}`, (model, { bench }) => {
        let isStarted = true;
        try {
          bench.start(owner);
        } catch (refused) {
          assert.equal((refused as { code?: unknown }).code, 'task.closed');
          isStarted = false;
        }
        tally.count(isStarted ? 'started' : 'refused');
        assert.equal(isStarted, model.start(owner));
      }),
  ),
  fc.tuple(place, fc.string({ maxLength: 4, minLength: 1 })).map(
    ([at, text]) =>
      new Command(`write ${at}`, (model, { bench }) => {
        const task = model.tasks[at];
        if (task === undefined) return;
        bench.works[at]?.context.write(text);
        model.write(task, text);
      }),
  ),
  fc.tuple(place, fc.constantFrom('value', 'error', 'throw')).map(
    ([at, how]) =>
      new Command(`${how} ${at}`, (model, { bench }) => {
        const task = model.tasks[at];
        if (task === undefined) return;
        if (how === 'throw') bench.works[at]?.reject(new Error('x'));
        else bench.works[at]?.resolve(how === 'error' ? ToolResult.error('x') : 'x');
        model.settle(task, how !== 'value');
        tally.count(task.status);
      }),
  ),
  place.map(
    (at) =>
      new Command(`stop ${at}`, (model, real) => {
        const task = model.tasks[at];
        if (task === undefined) return;
        const name = `stop ${asked++}`;
        real.ask(name, real.bench.tasks.stop(task.id));
        model.stop(task);
        model.wait(task, name);
      }),
  ),
  place.map(
    (at) =>
      new Command(`await ${at}`, (model, real) => {
        const task = model.tasks[at];
        if (task === undefined) return;
        const name = `await ${asked++}`;
        real.ask(name, real.bench.tasks.settled(task.id));
        model.wait(task, name);
      }),
  ),
  fc.constantFrom(10, 60).map(
    (ms) =>
      new Command(`advance ${ms}`, async (model, { bench }) => {
        const before = model.live.length;
        await bench.host.advance(ms);
        model.advance(ms);
        if (model.live.length < before) tally.count('given up');
      }),
  ),
  fc.constant(
    new Command('close', (model, real) => {
      void real.bench.tasks.close().then(() => real.closed++);
      model.close();
      tally.count(`close: ${model.state}`);
    }),
  ),
];

test(`${runs} random lives go as the reference says`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        [
          ...commands.slice(0, -1),
          ...commands.slice(0, -1),
          ...commands.slice(0, 3),
          commands.at(-1) ?? fc.constant(new Command('', () => {})),
        ],
        { maxCommands: 40, size: 'max' },
      ),
      async (program) => {
        await fc.asyncModelRun(() => ({ model: new Reference(), real: new Real() }), program);
      },
    ),
    { numRuns: runs },
  );
  const reached = [
    'started',
    'refused',
    'completed',
    'failed',
    'stopped',
    'given up',
    'close: closing',
    'close: closed',
  ];
  console.log(tally.expectEach(reached));
});
