// Finds the statecharts in a file and reads their state nodes, for the chart rules in this folder.

import type { ESTree, SourceCode } from '@oxlint/plugins';

/** One state node of a chart; the root is one too, under the name ''. */
export interface StateNode {
  readonly name: string;
  /** Where to report. */
  readonly node: ESTree.Node;
  /** Its properties by name; undefined when it is not written as an object literal that can be read. */
  readonly properties: ReadonlyMap<string, ESTree.Node> | undefined;
}

/** One call of `createMachine`. */
export interface Chart {
  /** The word `createMachine`, to report at. */
  readonly place: ESTree.Node;
  /** Whether it is built by `setup(…)`, and not by the bare `createMachine` of xstate. */
  readonly bySetup: boolean;
  /** The root first, then every state below it. */
  readonly states: readonly StateNode[];
}

/** Every node of a tree, parents first. */
export function* nodesOf(node: ESTree.Node, sourceCode: SourceCode): Generator<ESTree.Node> {
  yield node;
  for (const key of sourceCode.visitorKeys[node.type] ?? []) {
    const value: unknown = Reflect.get(node, key);
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* nodesOf(child, sourceCode);
  }
}

/** The charts of a file, in order. Constants of the same file are followed. */
export function readCharts(program: ESTree.Program, sourceCode: SourceCode): Chart[] {
  const charts: Chart[] = [];
  const read = reader(program);
  for (const node of nodesOf(program, sourceCode)) {
    if (node.type !== 'CallExpression') continue;
    const { callee } = node;
    const bySetup =
      callee.type === 'MemberExpression' &&
      callee.property.type === 'Identifier' &&
      callee.property.name === 'createMachine';
    if (!bySetup && !(callee.type === 'Identifier' && callee.name === 'createMachine')) continue;
    const config = node.arguments[0];
    const place = callee.type === 'MemberExpression' ? callee.property : callee;
    charts.push({ place, bySetup, states: config === undefined ? [] : read.states('', config, place) });
  }
  return charts;
}

/** The object literals a node stands for: itself, or the elements of an array. */
export function objectsOf(
  node: ESTree.Node,
  program: ESTree.Program,
): { node: ESTree.Node; properties: ReadonlyMap<string, ESTree.Node> | undefined }[] {
  const read = reader(program);
  const value = read.resolve(node);
  const elements = value.type === 'ArrayExpression' ? value.elements.filter((element) => element !== null) : [value];
  return elements.map((element) => ({ node: element, properties: read.properties(element) }));
}

function reader(program: ESTree.Program) {
  const constants = new Map<string, ESTree.Node>();
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations)
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init);
  }

  // Looks through casts, constants and `createStateConfig(…)`.
  const resolve = (node: ESTree.Node): ESTree.Node => {
    switch (node.type) {
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'ParenthesizedExpression':
        return resolve(node.expression);
      case 'Identifier': {
        const value = constants.get(node.name);
        if (value === undefined) return node;
        constants.delete(node.name); // a constant that names itself ends here
        const resolved = resolve(value);
        constants.set(node.name, value);
        return resolved;
      }
      case 'CallExpression': {
        const {
          callee,
          arguments: [first],
        } = node;
        const isStateConfig =
          callee.type === 'MemberExpression' &&
          callee.property.type === 'Identifier' &&
          callee.property.name === 'createStateConfig';
        return isStateConfig && first !== undefined ? resolve(first) : node;
      }
      default:
        return node;
    }
  };

  const properties = (node: ESTree.Node): Map<string, ESTree.Node> | undefined => {
    const object = resolve(node);
    if (object.type !== 'ObjectExpression') return undefined;
    const found = new Map<string, ESTree.Node>();
    for (const property of object.properties) {
      if (property.type === 'SpreadElement') {
        const spread = properties(property.argument);
        if (spread === undefined) return undefined;
        for (const [name, value] of spread) found.set(name, value);
        continue;
      }
      const name = keyOf(property);
      if (name === undefined) return undefined;
      found.set(name, property.value);
    }
    return found;
  };

  const states = (name: string, node: ESTree.Node, place: ESTree.Node): StateNode[] => {
    const own = properties(node);
    const found: StateNode[] = [{ name, node: place, properties: own }];
    const children = own?.get('states');
    if (children === undefined) return found;
    const below = properties(children);
    if (below === undefined) found.push({ name: `${name}.*`, node: children, properties: undefined });
    for (const [child, value] of below ?? [])
      found.push(...states(name === '' ? child : `${name}.${child}`, value, value));
    return found;
  };

  return { resolve, properties, states };
}

function keyOf(property: ESTree.ObjectProperty): string | undefined {
  const { key } = property;
  if (!property.computed && key.type === 'Identifier') return key.name;
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined;
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
