// Turns what a model sent into checked arguments, or into a message it can act on. Called by define-tool, once per
// tool.

import type { Tool } from '../contracts/tool.ts';
import { shortText } from './bounded-text.ts';
import { decodeArguments, decodeNested } from './decode-arguments.ts';
import { describeSchema } from './describe-schema.ts';
import { describePath, describeValue } from './describe-value.ts';
import { errorResultText } from './error-text.ts';
import { ownValue, type SchemaNode } from './schema-node.ts';
import type { StandardIssue } from './standard-schema.ts';
import { type ArgumentIssue, fitsSchema, structuralIssues } from './structural-check.ts';

/** What a validator says about arguments: the value it made of them, or what is wrong. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly StandardIssue[] };

/** A schema's own check of arguments. May throw. */
export type Validator = (args: unknown) => Validation;

const maxListedIssues = 5;
const maxMessageLength = 2_000;

/**
 * A `Tool.parse`: never throws, never changes what it is given. Messages describe the published schema and have at most
 * 2,000 characters. Without a validator the structural check decides.
 */
export function argumentParser(
  toolName: string,
  schema: SchemaNode,
  validate: Validator = (args) => (fitsSchema(args, schema) ? { ok: true, value: args } : { ok: false, issues: [] }),
): Tool['parse'] {
  const refuse = (problems: string) => {
    const expected = shortText(`Expected: ${describeSchema(schema, schema)}`, maxMessageLength / 2);
    const found = shortText(`Invalid arguments for ${toolName}: ${problems}`, maxMessageLength / 2 - 2);
    return { ok: false as const, message: `${found}. ${expected}` };
  };

  return (sent) => {
    try {
      const decoded = decodeArguments(sent);
      if (!decoded.ok) return refuse(decoded.fault);
      const first = validate(decoded.args);
      if (first.ok) return { ok: true, args: first.value };
      const nested = decodeNested(decoded.args, schema);
      const second = nested === decoded.args ? first : validate(nested);
      if (second.ok) return { ok: true, args: second.value };
      return refuse(listIssues(second.issues, structuralIssues(nested, schema), nested));
    } catch (thrown) {
      try {
        return refuse(`they cannot be checked: ${shortText(errorResultText(thrown), 500)}`);
      } catch {
        return { ok: false, message: `Invalid arguments for ${toolName}: they cannot be checked.` };
      }
    }
  };
}

// Our own text for faults that the structural check also finds; otherwise the validator's message.
function listIssues(found: readonly StandardIssue[], structural: readonly ArgumentIssue[], args: unknown): string {
  const texts = new Set<string>();
  if (found.length === 0) for (const issue of structural) texts.add(issueText(issue));
  for (const issue of found) {
    const path = pathOf(issue);
    const same = structural.filter((other) => describesSame(other, path));
    for (const other of same) texts.add(issueText(other));
    if (same.length === 0) texts.add(foreignText(issue, path, args));
  }
  if (texts.size === 0) return 'they do not match the schema';
  const listed = [...texts].slice(0, maxListedIssues);
  const more = texts.size - listed.length;
  return listed.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

// Some validators report unknown fields and unions at the enclosing object.
function describesSame(structural: ArgumentIssue, path: readonly PropertyKey[]): boolean {
  const depth = structural.path.length;
  if (!path.every((key, index) => String(key) === String(structural.path[index]))) return false;
  return depth === path.length || (structural.isUnknownField && depth === path.length + 1);
}

function issueText(issue: ArgumentIssue): string {
  return issue.path.length === 0 ? `the arguments ${issue.text}` : `"${describePath(issue.path)}" ${issue.text}`;
}

function foreignText(issue: StandardIssue, path: readonly PropertyKey[], args: unknown): string {
  const message = shortText(String(issue.message), 300).trim().replace(/\.$/, '');
  if (path.length === 0) return message;
  const field = describePath(path);
  const value = path.reduce(ownValue, args);
  const got = value === undefined ? '' : `, got ${describeValue(value)}`;
  return message.startsWith(field) ? `"${field}"${message.slice(field.length)}${got}` : `"${field}": ${message}${got}`;
}

function pathOf(issue: StandardIssue): readonly PropertyKey[] {
  return [...(issue.path ?? [])].map((part) => (typeof part === 'object' ? part.key : part));
}
