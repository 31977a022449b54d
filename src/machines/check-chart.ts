// Refuses charts that the table interpreter cannot run. Called for the charts that users bring, and by the tests of our
// own.

import {
  defaultEntry,
  listOf,
  nodeOf,
  targetOf,
  transitionsOf,
  type ChartNode,
  type Config,
  type ReadableChart,
} from './chart-table.ts';

const nodeKeys = ['id', 'description', 'initial', 'states', 'on', 'entry', 'invoke', 'type'];
// A root is never left or entered, so it has neither entry actions nor invokes.
const rootKeys = ['id', 'description', 'initial', 'states', 'on', 'context', 'options', 'output', 'schemas'];
const transitionKeys = ['target', 'guard', 'actions', 'reenter'];
const invokeKeys = ['id', 'src', 'input', 'onDone', 'onError'];

/**
 * Throws on anything the table interpreter does not support: parallel states, history, delays, eventless transitions,
 * inline or composed guards, wildcards, XState's built-in actions, and work in the initial state.
 */
export function checkChart(chart: ReadableChart): void {
  const root = nodeOf(chart);
  checkNode(chart, root);
  if (defaultEntry(root).some(({ config }) => config['entry'] !== undefined || config['invoke'] !== undefined)) {
    refuse(chart, root.name, 'initial state, which must have neither entry actions nor invokes');
  }
}

function checkNode(chart: ReadableChart, node: ChartNode): void {
  const { name, config, parent, children } = node;
  checkKeys(chart, name, config, parent === undefined ? rootKeys : nodeKeys);
  if (![undefined, 'final'].includes(config['type'] as undefined)) refuse(chart, name, 'type');
  if (children.size > 0 && !children.has(String(config['initial']))) refuse(chart, name, 'initial');
  checkActions(chart, name, config['entry']);
  for (const invoke of listOf(config['invoke'])) {
    checkKeys(chart, name, invoke, invokeKeys);
    if (typeof invoke['id'] !== 'string' || typeof invoke['src'] !== 'string') refuse(chart, name, 'invoke');
  }
  for (const [event, transition] of transitionsOf(node)) checkTransition(chart, node, event, transition);
  for (const child of children.values()) checkNode(chart, child);
}

function checkTransition(chart: ReadableChart, owner: ChartNode, event: string, transition: Config): void {
  const where = `${owner.name} on ${event}`;
  // Wildcards, and an event that only XState raises.
  if (/\*|^xstate\.done\.state\./.test(event)) refuse(chart, where, 'event');
  checkKeys(chart, where, transition, transitionKeys);
  const { target, guard, actions } = transition;
  if (target !== undefined && targetOf(owner, target) === undefined) refuse(chart, where, 'target');
  if (guard !== undefined && typeof implementation(chart.implementations.guards, guard) !== 'function') {
    refuse(chart, where, 'guard');
  }
  checkActions(chart, where, actions);
}

function checkActions(chart: ReadableChart, where: string, given: unknown): void {
  for (const { type, params } of listOf(given)) {
    if (chart.sends?.[String(type)] !== undefined) continue;
    const found = implementation(chart.implementations.actions, type);
    // A built-in action has a type, and XState does not expose what it does.
    if (typeof found !== 'function' || 'type' in found || typeof params === 'function') {
      refuse(chart, where, `action ${String(type)}`);
    }
  }
}

function checkKeys(chart: ReadableChart, where: string, config: Config, known: readonly string[]): void {
  for (const key of Object.keys(config)) if (!known.includes(key)) refuse(chart, where, key);
}

function implementation(all: unknown, name: unknown): unknown {
  return typeof name === 'string' ? (all as Config | undefined)?.[name] : undefined;
}

function refuse(chart: ReadableChart, where: string, what: string): never {
  throw new Error(
    `The chart "${chart.id}" uses something the table interpreter does not support: at ${where}, the ${what}.`,
  );
}
