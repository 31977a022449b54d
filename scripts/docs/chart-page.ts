// The page of one chart: picture, states, events, services, transitions, paths and promises. Called by scripts/docs.ts.

import { flatten, readChart, type ShownState } from '../../src/inspect/chart-config.ts';
import { mermaidOf } from '../../src/inspect/mermaid.ts';
import { eventDescriptions, serviceDescriptions } from '../../src/machines/event-descriptions.ts';
import { judgePairs, walks, type ChartId } from '../../test/paths/chart-suites.ts';
import { pairsOf } from '../../test/paths/chart-facts.ts';
import { leavesInKey, pathsOf, runnersOf } from '../../test/paths/execute-paths.ts';
import { listedPairs } from '../../test/paths/listed-pairs.ts';
import { svgOf } from './picture.ts';
import { promisesOf } from './promises.ts';

/** A page and its picture. */
export interface ChartPage {
  readonly name: string;
  readonly markdown: string;
  readonly svg: string;
}

/** Makes the page of a chart from the chart itself. */
export async function chartPage(id: ChartId): Promise<ChartPage> {
  const { machine } = walks[id];
  const name = id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const { states, description } = readChart(machine.config);
  const mermaid = mermaidOf(machine);
  const markdown = [
    `# The chart of ${id}`,
    '',
    `<!-- Written by \`npm run docs\` from src/machines/${name}.ts. Change the chart, not this page. -->`,
    '',
    description,
    '',
    `![The chart of ${id}](${name}.svg)`,
    '',
    '<details><summary>As Mermaid</summary>',
    '',
    '```mermaid',
    mermaid,
    '```',
    '',
    '</details>',
    '',
    ...statesSection(states),
    ...eventsSection(id, states),
    ...transitionsSection(states),
    ...(await pathsSection(id)),
    ...promisesOf(id),
  ].join('\n');
  return { name, markdown, svg: svgOf(mermaid) };
}

function statesSection(states: readonly ShownState[]): readonly string[] {
  const rows = flatten(states).map(({ key, description, isFinal, services, entry }) => [
    `\`${key}\``,
    `${description}${isFinal ? ' Final.' : ''}`,
    services.map((service) => `\`${service}\``).join(', '),
    entry.map((one) => `\`${one}\``).join(', '),
  ]);
  return ['## States', '', ...table(['state', 'what it means', 'invokes', 'on entry'], rows), ''];
}

function eventsSection(id: ChartId, states: readonly ShownState[]): readonly string[] {
  const events = Object.entries(eventDescriptions[id]).map(([event, text]) => [`\`${event}\``, text]);
  const services: Readonly<Record<string, string>> = serviceDescriptions[id];
  const invoked = new Set(flatten(states).flatMap(({ services }) => services));
  const settlements = [...invoked].flatMap((service) => {
    const text = services[service];
    if (text === undefined)
      throw new Error(`src/machines/event-descriptions.ts does not describe the service "${service}".`);
    return [
      [`\`${service} settled\``, `\`${service}\` ${text}; it has ended, with facts.`],
      [`\`${service} broke\``, `\`${service}\` threw where it may not.`],
    ];
  });
  return ['## Events', '', ...table(['event', 'what it means'], [...events, ...settlements]), ''];
}

function transitionsSection(states: readonly ShownState[]): readonly string[] {
  const rows = flatten(states).flatMap(({ transitions }) =>
    transitions.map(({ from, event, guard, target, actions }) => [
      `\`${from}\``,
      `\`${event}\``,
      guard === undefined ? '' : `\`${guard}\``,
      target === undefined ? 'stays' : `\`${target}\``,
      actions.map((one) => `\`${one}\``).join(', '),
    ]),
  );
  const text =
    'The first line of a state and event whose guard holds is taken. An event without such a line is ignored.';
  return ['## Transitions', '', text, '', ...table(['in', 'on', 'if', 'to', 'doing'], rows), ''];
}

async function pathsSection(id: ChartId): Promise<readonly string[]> {
  const walk = walks[id];
  const walked = await pathsOf(walk);
  const steps = walked.flatMap(({ paths }) => paths.flat());
  const executed = new Set(
    steps.flatMap(({ from, event }) => leavesInKey(from).map((leaf) => `${leaf} ${event.type}`)),
  );
  const { covered, listed, missing } = judgePairs(pairsOf(walk.machine), executed, listedPairs[id] ?? []);
  const paths = walked.reduce((sum, one) => sum + one.paths.length, 0);
  return [
    '## Paths',
    '',
    `Every path below is executed on real actors ${waysOf(runnersOf(walk))} by \`npm run paths\` and \`npm test\`, and every`,
    'step is compared with a reference written by hand. A pair of state and event that is neither executed nor listed with a',
    'reason in `test/paths/listed-pairs.ts` fails the tests. Wrong copies of the chart: [mutants](mutants.md).',
    '',
    ...table(
      ['pairs executed', 'listed', 'missing', 'paths', 'steps'],
      [[covered, listed, missing].map((pairs) => String(pairs.length)).concat(String(paths), String(steps.length))],
    ),
    '',
  ];
}

function waysOf(runners: readonly string[]): string {
  return runners.length === 1 ? 'by XState’s interpreter, which it runs on,' : `in three ways (${runners.join(', ')})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
