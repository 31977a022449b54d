// The pairs of state and event that no path executes, each with its reason. A pair that is neither executed nor listed
// fails `npm run paths` and `npm test`, and so does a listed pair that is executed.

/** Pairs of one event with one reason. */
export interface ListedPairs {
  readonly event: string;
  readonly states: readonly string[];
  readonly why: string;
}

const dispatching = ['dispatching.live', 'dispatching.awaitingApproval', 'dispatching.interrupting'];
const turnStates = [
  'idle',
  'preparing',
  'shaping',
  'streaming',
  'waiting',
  'reviewing',
  ...dispatching,
  'sealed',
  'completed',
  'aborted',
  'failed',
];
const turnLives = ['active.running', 'active.settling', 'active.cancelling', 'active.preempting', 'active.closing'];
const compactLives = ['compacting.free', 'compacting.claimed'];
const realtimeRegions: Readonly<Record<string, readonly string[]>> = {
  link: ['open', 'congested', 'expiring', 'draining'],
  input: ['quiet', 'listening', 'speaking', 'committed', 'holding'],
  response: ['idle', 'requested', 'occupied', 'recalling', 'active', 'cancelling'],
  playback: ['silent', 'playing', 'flushing'],
  tools: ['noCall', 'running'],
  debt: ['even', 'owed'],
};
const connecting = ['dialing', 'awaitingSession', 'configuring', 'seeding'].map((state) => `connecting.${state}`);
const realtimeTops = ['resting', ...connecting, 'reconnecting', 'closing', 'closed'];
const realtimeLive = Object.entries(realtimeRegions).flatMap(([region, states]) =>
  states.map((state) => `live.${region}.${state}`),
);
// Where a service of the realtime session lives: in one state, and beside it in every state of the other regions.
const realtimeServices: readonly (readonly [string, string])[] = [
  ['dialDeadline', 'connecting.dialing'],
  ['sessionDeadline', 'connecting.awaitingSession'],
  ['configureDeadline', 'connecting.configuring'],
  ['seedDeadline', 'connecting.seeding'],
  ['closeDeadline', 'closing'],
  ['reconnect', 'reconnecting'],
  ['drainDeadline', 'live.link.draining'],
  ['speechDeadline', 'live.input.speaking'],
  ['replyGrace', 'live.input.committed'],
  ['requestDeadline', 'live.response.requested'],
  ['occupiedDeadline', 'live.response.occupied'],
  ['recallDeadline', 'live.response.recalling'],
  ['answerDeadline', 'live.response.active'],
  ['cancelDeadline', 'live.response.cancelling'],
  ['playDeadline', 'live.playback.playing'],
  ['flushDeadline', 'live.playback.flushing'],
];
const operativeStates = ['idle', 'reloading', ...turnLives, ...compactLives, 'closed'];

const taskStates = ['running', 'stopping', 'completed', 'failed', 'stopped'];

/** By chart. Nothing but services that do not live: whatever a living service can report is executed. */
export const listedPairs: Readonly<Record<string, readonly ListedPairs[]>> = {
  turn: [
    { ...but(turnStates, 'preparing'), event: 'xstate.done.actor.prepare', why: 'prepare lives in preparing only' },
    { ...but(turnStates, 'preparing'), event: 'xstate.error.actor.prepare', why: 'prepare lives in preparing only' },
    { ...but(turnStates, 'shaping'), event: 'xstate.done.actor.shape', why: 'shape lives in shaping only' },
    { ...but(turnStates, 'shaping'), event: 'xstate.error.actor.shape', why: 'shape lives in shaping only' },
    {
      ...but(turnStates, 'streaming'),
      event: 'xstate.done.actor.streamModel',
      why: 'streamModel lives in streaming only',
    },
    {
      ...but(turnStates, 'streaming'),
      event: 'xstate.error.actor.streamModel',
      why: 'streamModel lives in streaming only',
    },
    { ...but(turnStates, 'waiting'), event: 'xstate.done.actor.delay', why: 'delay lives in waiting only' },
    { ...but(turnStates, 'waiting'), event: 'xstate.error.actor.delay', why: 'delay lives in waiting only' },
    { ...but(turnStates, 'reviewing'), event: 'xstate.done.actor.review', why: 'review lives in reviewing only' },
    { ...but(turnStates, 'reviewing'), event: 'xstate.error.actor.review', why: 'review lives in reviewing only' },
    { ...but(turnStates, 'sealed'), event: 'xstate.done.actor.close', why: 'close lives in sealed only' },
    { ...but(turnStates, 'sealed'), event: 'xstate.error.actor.close', why: 'close lives in sealed only' },
    {
      ...but(turnStates, ...dispatching),
      event: 'xstate.done.actor.dispatchTools',
      why: 'dispatchTools lives in dispatching only',
    },
    {
      ...but(turnStates, ...dispatching),
      event: 'xstate.error.actor.dispatchTools',
      why: 'dispatchTools lives in dispatching only',
    },
    {
      ...but(turnStates, ...dispatching),
      event: 'approval.asked',
      why: 'reported by dispatchTools, which lives in dispatching only',
    },
    {
      ...but(turnStates, ...dispatching),
      event: 'approval.answered',
      why: 'reported by dispatchTools, which lives in dispatching only',
    },
  ],
  toolCall: [],
  backgroundTasks: [],
  backgroundTask: [
    { ...but(taskStates, 'stopping'), event: 'xstate.done.actor.grace', why: 'grace lives in stopping only' },
    { ...but(taskStates, 'stopping'), event: 'xstate.error.actor.grace', why: 'grace lives in stopping only' },
  ],
  operative: [
    { ...but(operativeStates, 'reloading'), event: 'xstate.done.actor.reload', why: 'reload lives in reloading only' },
    { ...but(operativeStates, 'reloading'), event: 'xstate.error.actor.reload', why: 'reload lives in reloading only' },
    {
      ...but(operativeStates, ...compactLives),
      event: 'xstate.done.actor.compact',
      why: 'compact lives in compacting only',
    },
    {
      ...but(operativeStates, ...compactLives),
      event: 'xstate.error.actor.compact',
      why: 'compact lives in compacting only',
    },
    { ...but(operativeStates, ...turnLives), event: 'xstate.done.actor.turn', why: 'the turn lives in active only' },
    { ...but(operativeStates, ...turnLives), event: 'xstate.error.actor.turn', why: 'the turn lives in active only' },
  ],
  realtimeSession: [
    ...realtimeServices.flatMap(([service, home]) =>
      ['done', 'error'].map((how) => ({
        event: `xstate.${how}.actor.${service}`,
        states: statesWithout(home),
        why: `${service} lives in ${home} only`,
      })),
    ),
    ...['expiry', 'keepAlive'].flatMap((service) =>
      ['done', 'error'].map((how) => ({
        event: `xstate.${how}.actor.${service}`,
        states: realtimeTops,
        why: `${service} lives in live only`,
      })),
    ),
  ],
};

// The states in which a service never lives whose home is this one: other states of its region, and everything that is not live.
function statesWithout(home: string): readonly string[] {
  const [, region = ''] = home.split('.');
  const beside = home.startsWith('live.') ? realtimeLive.filter((state) => !state.startsWith(`live.${region}.`)) : [];
  return [...realtimeTops, ...realtimeLive].filter((state) => state !== home && !beside.includes(state));
}

/** `state event`, as executed pairs are written. */
export function asPairs(listed: readonly ListedPairs[]): readonly string[] {
  return listed.flatMap(({ event, states }) => states.map((state) => `${state} ${event}`));
}

function but(states: readonly string[], ...left: readonly string[]): Pick<ListedPairs, 'states'> {
  return { states: states.filter((state) => !left.includes(state)) };
}

const callFacts = ['call.checked', 'call.cancel', 'approval.settled', 'tool.settled', 'call.timedOut', 'call.expire'];
const callEnds = [
  'completed',
  'failed',
  'timedOut',
  'interrupted',
  'notStarted',
  'denied',
  'invalidArguments',
  'unknownTool',
  'truncated',
  'backgrounded',
];

/** The pairs that scripted services execute and real ones cannot, by chart. The same rule: executed or listed. */
export const unrealPairs: Readonly<Record<string, readonly ListedPairs[]>> = {
  turn: [
    { event: 'turn.cancel', states: ['idle'], why: 'a turn is started in the step that makes it' },
    { event: 'approval.answered', states: ['dispatching.live'], why: 'an answer comes only while a question is open' },
    {
      event: 'xstate.done.actor.dispatchTools',
      states: ['dispatching.awaitingApproval'],
      why: 'a batch with an open question has not settled',
    },
  ],
  toolCall: [
    ...callFacts.map((event) => ({ event, states: callEnds, why: 'a call that is over is told nothing' })),
    { event: 'call.checked', states: ['approving', 'running'], why: 'a call is looked at once, first of all' },
    { event: 'approval.settled', states: ['validating', 'running'], why: 'nobody is asked then' },
    { event: 'tool.settled', states: ['validating', 'approving'], why: 'the tool does not run then' },
    { event: 'call.timedOut', states: ['validating', 'approving'], why: 'the tool’s time does not run then' },
    { event: 'call.expire', states: ['validating', 'approving'], why: 'the cancel before it ended the call' },
  ],
  operative: [
    { event: 'xstate.error.actor.reload', states: ['reloading'], why: 'the reload reports every failure as a fact' },
    { event: 'xstate.done.actor.turn', states: ['active.running'], why: 'every end of a turn seals it first' },
    { event: 'turn.sealed', states: ['active.settling'], why: 'a turn is sealed once' },
    {
      event: 'turn.sealed',
      states: ['reloading', ...compactLives, 'closed'],
      why: 'the last turn is over and the next one has not begun',
    },
    {
      event: 'xstate.error.actor.compact',
      states: compactLives,
      why: 'the compaction reports every failure as a fact',
    },
  ],
};
