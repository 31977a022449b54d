// A chart as Mermaid text, which GitHub and many editors render.

import { flatten, readChart, type ShownState } from './chart-config.ts';

/**
 * Mermaid's state diagram of a machine (`turnMachine`, or any made by XState): one arrow for each pair of states, with
 * the events that lead from one to the other.
 */
export function mermaidOf(machine: { readonly config: object }): string {
  const { states, initial } = readChart(machine.config);
  return ['stateDiagram-v2', ...levelOf(arrowsOf(states), states, initial, '', '  ')].join('\n');
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly events: Set<string>;
}

// A group contains its states, its initial state and the arrows between its states; the level above has the other
// arrows.
function levelOf(
  arrows: readonly Arrow[],
  states: readonly ShownState[],
  initial: string | undefined,
  above: string,
  indent: string,
): readonly string[] {
  const isHere = ({ from, to }: Arrow) => commonOf(from, to) === above;
  return [
    ...(initial === undefined ? [] : [`${indent}[*] --> ${initial}`]),
    ...states.flatMap(({ name, key, children, initial: first, isFinal }) => {
      if (children.length === 0)
        return isFinal ? [`${indent}${name} --> [*]`] : above === '' ? [] : [`${indent}${name}`];
      const inner = levelOf(arrows, children, first, key, `${indent}  `);
      return [`${indent}state ${name} {`, ...inner, `${indent}}`];
    }),
    ...arrows
      .filter(isHere)
      .map(({ from, to, events }) => `${indent}${last(from)} --> ${last(to)} : ${[...events].join('<br/>')}`),
  ];
}

// Transitions that stay in their state are in the table only.
function arrowsOf(states: readonly ShownState[]): readonly Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const { key, transitions } of flatten(states)) {
    for (const { target, event } of transitions) {
      if (target === undefined) continue;
      const arrow = arrows.get(`${key} ${target}`) ?? { from: key, to: target, events: new Set() };
      arrow.events.add(event);
      arrows.set(`${key} ${target}`, arrow);
    }
  }
  return [...arrows.values()];
}

// The group that contains both; a group does not contain itself.
function commonOf(from: string, to: string): string {
  const [left, right] = [from, to].map((key) => key.split('.').slice(0, -1));
  const common: string[] = [];
  for (const [index, name] of (left ?? []).entries()) {
    if (right?.[index] !== name) break;
    common.push(name);
  }
  return common.join('.');
}

function last(key: string): string {
  return key.split('.').at(-1) ?? key;
}
