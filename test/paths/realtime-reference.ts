// The realtime session's behaviour written down again by hand, without a chart: one function from a state and an event
// to the next state and to what is done on the way.

import type { Expected } from './execute-paths.ts';

/** What an event says, in the words of the reference. */
export type RealtimeTold =
  | { readonly what: 'connect' | 'opened' | 'lost' | 'created' | 'seeded' | 'failed' | 'expiring' }
  | { readonly what: 'configured'; readonly seeds: boolean }
  | { readonly what: 'close'; readonly drains: boolean }
  | { readonly what: 'microphone'; readonly how: 'opened' | 'congested' | 'relieved' }
  | { readonly what: 'speaks'; readonly interrupts: boolean }
  | { readonly what: 'spoke' | 'committed'; readonly answers: boolean }
  | { readonly what: 'cleared' | 'detectionChanged' | 'activityStarted' | 'activityEnded' }
  | { readonly what: 'begun'; readonly owner: 'own' | 'server' | 'recalled'; readonly owed: number }
  | { readonly what: 'done'; readonly inFlight: boolean; readonly owed: number }
  | { readonly what: 'interrupt' | 'audio' | 'played' | 'acknowledged' | 'call' | 'moved' }
  | { readonly what: 'refused'; readonly occupied: boolean; readonly owed: number }
  | { readonly what: 'result'; readonly open: number; readonly owed: number }
  | { readonly what: 'debt'; readonly owed: number }
  | {
      readonly what: 'ended';
      readonly service: string;
      readonly broke: boolean;
      readonly owed: number;
      readonly inFlight: boolean;
    };

const regionNames = ['link', 'input', 'response', 'playback', 'tools', 'debt'] as const;
/** A region of the live session. */
export type Region = (typeof regionNames)[number];

/** Where the reference is. `regions` only while it is live; `expires` = the expiry is still waited for. */
export interface RealtimeState {
  readonly top: string;
  readonly regions: Readonly<Record<Region, string>> | undefined;
  readonly expires: boolean;
}

export const firstState: RealtimeState = { top: 'resting', regions: undefined, expires: false };

const beginning: Readonly<Record<Region, string>> = {
  link: 'open',
  input: 'quiet',
  response: 'idle',
  playback: 'silent',
  tools: 'noCall',
  debt: 'even',
};

// What waits in which state.
const waits: Readonly<Record<string, string>> = {
  'connecting.dialing': 'dialDeadline',
  'connecting.awaitingSession': 'sessionDeadline',
  'connecting.configuring': 'configureDeadline',
  'connecting.seeding': 'seedDeadline',
  reconnecting: 'reconnect',
  closing: 'closeDeadline',
  'link.draining': 'drainDeadline',
  'input.speaking': 'speechDeadline',
  'input.committed': 'replyGrace',
  'response.requested': 'requestDeadline',
  'response.occupied': 'occupiedDeadline',
  'response.recalling': 'recallDeadline',
  'response.active': 'answerDeadline',
  'response.cancelling': 'cancelDeadline',
  'playback.playing': 'playDeadline',
  'playback.flushing': 'flushDeadline',
};

const servicesOf = ({ top, regions, expires }: RealtimeState): readonly string[] => {
  if (regions === undefined) return [waits[top]].flatMap((service) => service ?? []);
  const own = regionNames.flatMap((region) => waits[`${region}.${regions[region]}`] ?? []);
  return expires ? ['expiry', 'keepAlive', ...own] : ['keepAlive', ...own];
};

/** The state as XState would write it. */
export function keyOf({ top, regions }: RealtimeState): string {
  if (regions === undefined) return top;
  const { debt, input, link, playback, response, tools } = regions;
  return `live.debt.${debt}|input.${input}|link.${link}|playback.${playback}|response.${response}|tools.${tools}`;
}

/** The leaf states that are active. */
export function leavesIn({ top, regions }: RealtimeState): readonly string[] {
  return regions === undefined ? [top] : regionNames.map((region) => `live.${region}.${regions[region]}`);
}

/** Whether the event can come at all: a service ends only while it lives. */
export function canCome(state: RealtimeState, told: RealtimeTold): boolean {
  return told.what !== 'ended' || servicesOf(state).includes(told.service);
}

/** One step. The log: what is called in order, then services stopped and started. */
export function step(from: RealtimeState, told: RealtimeTold): { readonly to: RealtimeState; readonly seen: Expected } {
  const calls: string[] = [];
  const services: string[] = [];
  const ended = told.what === 'ended' ? told.service : undefined;
  let state: RealtimeState = ended === 'expiry' ? { ...from, expires: false } : from;
  const first = move(state, told, calls);
  services.push(...changes(state, first, ended));
  state = first.to;
  // Whoever has moved may have made room for an owed reply, or for the end.
  if (first.looksAround) {
    const second = move(state, { what: 'moved' }, calls);
    services.push(...changes(state, second));
    state = second.to;
  }
  const log = [...calls, ...withoutUnstarted(services)];
  return { to: state, seen: { state: keyOf(state), log, live: servicesOf(state) } };
}

// What begins and ends within one step never was.
function withoutUnstarted(services: readonly string[]): readonly string[] {
  const isUnstarted = (name: string) =>
    services.includes(`start ${name}`) && services.lastIndexOf(`stop ${name}`) > services.indexOf(`start ${name}`);
  return services.filter((line) => !isUnstarted(line.replace(/^(start|stop) /, '')));
}

interface Move {
  readonly to: RealtimeState;
  readonly looksAround: boolean;
  /** States that are left and entered again. */
  readonly again?: readonly string[];
}

function move(state: RealtimeState, told: RealtimeTold, calls: string[]): Move {
  return state.regions === undefined ? moveTop(state.top, told, calls) : moveLive(state, state.regions, told, calls);
}

function at(top: string): Move {
  return { to: { top, regions: undefined, expires: false }, looksAround: false };
}

function closing(calls: string[]): Move {
  calls.push('closeLink');
  return at('closing');
}

function closed(calls: string[]): Move {
  calls.push('finish');
  return at('closed');
}

function live(calls: string[]): Move {
  calls.push('begin');
  return { to: { top: 'live', regions: beginning, expires: true }, looksAround: true };
}

function moveTop(top: string, told: RealtimeTold, calls: string[]): Move {
  const { what } = told;
  if (top === 'resting') {
    if (what === 'connect') {
      calls.push('dial');
      return at('connecting.dialing');
    }
    if (what !== 'close') return at(top);
    calls.push('noteEnd close');
    return closed(calls);
  }
  if (top.startsWith('connecting.')) return moveConnecting(top, told, calls);
  if (top === 'reconnecting') {
    if (what === 'close') calls.push('noteEnd close');
    return what === 'close' || what === 'ended' ? closed(calls) : at(top);
  }
  if (top === 'closing') return what === 'lost' || what === 'ended' ? closed(calls) : at(top);
  return at(top);
}

function moveConnecting(top: string, told: RealtimeTold, calls: string[]): Move {
  const { what } = told;
  if (what === 'lost') {
    calls.push('noteEnd lost');
    return closed(calls);
  }
  if (what === 'close' || what === 'failed') {
    calls.push(`noteEnd ${what}`);
    return closing(calls);
  }
  if (what === 'ended') {
    calls.push('noteEnd {"reason":"connectFailed","message":"The server did not answer in time."}');
    return closing(calls);
  }
  if (top === 'connecting.dialing' && what === 'opened') return at('connecting.awaitingSession');
  if (top === 'connecting.awaitingSession' && what === 'created') {
    calls.push('configure');
    return at('connecting.configuring');
  }
  if (top === 'connecting.configuring' && told.what === 'configured') {
    if (!told.seeds) return live(calls);
    calls.push('seed');
    return at('connecting.seeding');
  }
  if (top === 'connecting.seeding' && what === 'seeded') return live(calls);
  return at(top);
}

type Regions = Readonly<Record<Region, string>>;

// States whose beginning may make room for something that waits.
const roomy: ReadonlySet<string> = new Set([
  'link.draining',
  'input.listening',
  'response.idle',
  'playback.silent',
  'tools.noCall',
  'debt.owed',
]);

function moveLive(state: RealtimeState, regions: Regions, told: RealtimeTold, calls: string[]): Move {
  const link = moveLink(regions, told, calls);
  if (link === 'closing') return closing(calls);
  if (link === 'closed') return closed(calls);
  if (told.what === 'lost') {
    calls.push('noteEnd lost');
    return at('reconnecting');
  }
  if (told.what === 'failed') {
    calls.push('noteEnd failed');
    return closing(calls);
  }
  if (told.what === 'ended' && told.service === 'keepAlive') {
    calls.push('noteSilence');
    return at('reconnecting');
  }
  const input = moveInput(regions.input, told, calls);
  const response = moveResponse(regions, told, calls);
  const next: Regions = {
    link,
    input,
    response,
    playback: movePlayback(regions.playback, told, calls),
    tools: moveTools(regions.tools, told, calls),
    debt: moveDebt(regions.debt, told),
  };
  const moved = regionNames.filter((region) => next[region] !== regions[region]);
  return {
    to: moved.length === 0 ? state : { ...state, regions: next },
    looksAround: moved.some((region) => roomy.has(`${region}.${next[region]}`)),
    again: regionNames.filter((region) => isAgain(region, regions, told)).map((region) => `${region}.${next[region]}`),
  };
}

// The server has its time again: for another answer to stop, for another speech, for more to play.
function isAgain(region: Region, regions: Regions, told: RealtimeTold): boolean {
  const state = regions[region];
  if (region === 'response') return state === 'cancelling' && told.what === 'begun' && told.owner === 'recalled';
  if (region === 'input') return state === 'speaking' && told.what === 'speaks';
  return region === 'playback' && state === 'playing' && told.what === 'audio';
}

function moveLink({ link, response, playback, tools }: Regions, told: RealtimeTold, calls: string[]): string {
  const isExpiry = told.what === 'ended' && told.service === 'expiry';
  if (isExpiry) calls.push('announceExpiry');
  if (link === 'draining') {
    if (told.what === 'lost') return 'closed';
    if (told.what === 'close' && !told.drains) return 'closing';
    if (told.what === 'ended' && told.service === 'drainDeadline') return 'closing';
    const isDrained = response === 'idle' && playback === 'silent' && tools === 'noCall';
    return told.what === 'moved' && isDrained ? 'closing' : link;
  }
  if (told.what === 'close') {
    calls.push('noteEnd close');
    return told.drains ? 'draining' : 'closing';
  }
  if (link === 'expiring') return link;
  if (told.what === 'expiring' || (isExpiry && !told.broke)) return 'expiring';
  if (told.what !== 'microphone') return link;
  if (told.how === 'congested') return 'congested';
  return told.how === 'relieved' ? 'open' : link;
}

function moveInput(input: string, told: RealtimeTold, calls: string[]): string {
  switch (told.what) {
    case 'microphone':
      return input === 'quiet' && told.how === 'opened' ? 'listening' : input;
    case 'speaks':
      return input === 'holding' ? input : 'speaking';
    case 'spoke':
    case 'committed':
      return input === 'speaking' ? (told.answers ? 'committed' : 'listening') : input;
    case 'cleared':
      return input === 'speaking' || input === 'holding' ? 'listening' : input;
    case 'detectionChanged':
      return input === 'speaking' ? 'listening' : input;
    case 'activityStarted':
      return 'holding';
    case 'activityEnded':
      return input === 'holding' ? 'listening' : input;
    case 'begun':
      return input === 'committed' || (input === 'speaking' && told.owner === 'server') ? 'listening' : input;
    case 'ended':
      if (told.service === 'speechDeadline') calls.push('giveUp speech');
      return told.service === 'replyGrace' || told.service === 'speechDeadline' ? 'listening' : input;
    default:
      return input;
  }
}

function moveResponse(regions: Regions, told: RealtimeTold, calls: string[]): string {
  const { response } = regions;
  switch (told.what) {
    case 'begun': // always believed: the server has one answer at a time
      if (told.owner !== 'recalled') return 'active';
      calls.push('cancelResponse');
      return 'cancelling';
    case 'done':
      if (response === 'occupied') return 'idle';
      if (response !== 'active' && response !== 'cancelling') return response;
      return told.inFlight ? 'requested' : 'idle';
    case 'refused':
      if (response !== 'requested' && response !== 'recalling') return response;
      return told.occupied ? 'occupied' : 'idle';
    case 'interrupt':
    case 'speaks':
      return interrupted(response, told, calls);
    case 'moved':
      if (response !== 'idle' || !mayReply(regions)) return response;
      calls.push('requestReply');
      return 'requested';
    case 'ended': {
      const [, what] = /^(request|occupied|recall|answer|cancel)Deadline$/.exec(told.service) ?? [];
      if (what === undefined) return response;
      if (what === 'answer') calls.push('cancelResponse');
      calls.push(`giveUp ${what}`);
      return (what === 'answer' || what === 'cancel') && told.inFlight ? 'requested' : 'idle';
    }
    default:
      return response;
  }
}

function interrupted(response: string, told: RealtimeTold, calls: string[]): string {
  const bySpeech = told.what === 'speaks';
  if (bySpeech && !told.interrupts) return response;
  const cause = bySpeech ? 'speech' : 'request';
  if (response === 'requested') {
    calls.push(`recall ${cause}`);
    return 'recalling';
  }
  if (response !== 'active' && response !== 'occupied') return response;
  calls.push(`silence ${cause}`, ...(bySpeech ? [] : ['cancelResponse']));
  return 'cancelling';
}

function mayReply({ debt, input, link }: Regions): boolean {
  return debt === 'owed' && (input === 'quiet' || input === 'listening') && link !== 'draining';
}

function movePlayback(playback: string, told: RealtimeTold, calls: string[]): string {
  switch (told.what) {
    case 'audio':
      return 'playing';
    case 'played':
      return playback === 'playing' ? 'silent' : playback;
    case 'acknowledged':
      return playback === 'flushing' ? 'silent' : playback;
    case 'interrupt':
    case 'speaks':
      if (playback !== 'playing' || (told.what === 'speaks' && !told.interrupts)) return playback;
      calls.push(`cutOutput ${told.what === 'speaks' ? 'speech' : 'request'}`);
      return 'flushing';
    case 'ended':
      if (told.service !== 'flushDeadline' && told.service !== 'playDeadline') return playback;
      calls.push(`giveUp ${told.service === 'playDeadline' ? 'play' : 'flush'}`);
      return 'silent';
    default:
      return playback;
  }
}

function moveTools(tools: string, told: RealtimeTold, calls: string[]): string {
  if (told.what === 'interrupt') calls.push('awaitQuiet interrupt');
  if (told.what === 'call') return 'running';
  return told.what === 'result' && told.open === 0 ? 'noCall' : tools;
}

function moveDebt(debt: string, told: RealtimeTold): string {
  switch (told.what) {
    case 'debt':
    case 'result':
    case 'begun':
    case 'done':
    case 'refused':
      return told.owed > 0 ? 'owed' : 'even';
    case 'ended':
      if (told.service !== 'requestDeadline' || told.broke) return debt;
      return told.owed > 0 ? 'owed' : 'even';
    default:
      return debt;
  }
}

// Stopped from the last region to the first, started from the first to the last.
function changes(from: RealtimeState, { to, again = [] }: Move, ended?: string): readonly string[] {
  if (to === from && again.length === 0) return [];
  const before = places(from);
  const after = places(to);
  const isLeft = (place: string) => !after.includes(place) || again.includes(place);
  const isEntered = (place: string) => !before.includes(place) || again.includes(place);
  const living = (place: string) =>
    place === 'live' ? ['expiry', 'keepAlive'] : [waits[place]].flatMap((one) => one ?? []);
  const isOver = (service: string) => (service === 'expiry' && !from.expires) || service === ended;
  return [
    ...before
      .filter(isLeft)
      .toReversed()
      .flatMap(living)
      .filter((service) => !isOver(service))
      .map((service) => `stop ${service}`),
    ...after
      .filter(isEntered)
      .flatMap(living)
      .map((service) => `start ${service}`),
  ];
}

function places({ top, regions }: RealtimeState): readonly string[] {
  return regions === undefined ? [top] : ['live', ...regionNames.map((region) => `${region}.${regions[region]}`)];
}
