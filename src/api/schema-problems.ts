import type { z } from 'zod';
import type { ErrorCode } from '../rules/error-codes.ts';
import type { Problem } from '../rules/errors.ts';
import { unknownField } from './field-names.ts';

type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;
type Path = readonly PropertyKey[];

interface Checked {
  readonly value: unknown;
  /** The field in the error if the input is not a body but one field's value. */
  readonly field: string | undefined;
  /** The known fields, to suggest one of them. */
  readonly known: readonly string[];
}

/** Unknown fields that are reported of one object: each is compared with all known ones. */
const maxUnknown = 25;

/** A schema's issue as text for a person. An issue with a message has the schema's own text. */
export function problemsOfIssue(issue: Issue, checked: Checked, outer: Path = []): Problem[] {
  const path = [...outer, ...issue.path];
  const field = path.length === 0 ? checked.field : fieldAt(path);
  const refuse = (code: ErrorCode, sentence: string): Problem[] => [{ code, field, sentence }];
  if (issue.code === 'invalid_union') return problemsOfUnion(issue, checked, path, refuse);
  if (issue.code === 'custom') {
    return refuse((issue.params?.code as ErrorCode | undefined) ?? 'FIELD_INVALID', issue.message);
  }
  if (issue.message !== '') return refuse('FIELD_INVALID', issue.message);
  const name = path.length === 0 && field !== undefined ? `"${field}"` : nameOf(path);
  const found = at(checked.value, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, maxUnknown)
        .map((key) => withinField(path, unknownField(key, path.length === 0 ? checked.known : [])));
    case 'invalid_type':
      if (field !== undefined && found === undefined) return refuse('FIELD_MISSING', `${name} is needed.`);
      if (path.length === 0 && typeof found === 'string' && /^\s*[{[]/.test(found))
        return refuse('FIELD_INVALID', 'The body is a JSON string that holds JSON: it was encoded twice.');
      return refuse('FIELD_INVALID', wrongKind(name, [issue.expected], found));
    case 'too_big':
      return refuse(
        issue.origin === 'string' ? 'FIELD_TOO_LONG' : 'FIELD_INVALID',
        `${name} must ${amount(issue.origin, 'at most', Number(issue.maximum))}.`,
      );
    case 'too_small':
      return refuse(
        'FIELD_INVALID',
        `${name} must ${amount(issue.origin, 'at least', Number(issue.minimum))}.`,
      );
    case 'invalid_value':
      if (found === undefined) return refuse('FIELD_MISSING', `${name} is needed.`);
      return refuse('FIELD_INVALID', `${name} must be ${oneOf(issue.values)}${shown(found)}.`);
    default:
      return refuse('FIELD_INVALID', `${name} does not have the form that it needs.`);
  }
}

/** Fields whose errors name the position inside them: `rules.2.when.country.0`. */
const deepFields: ReadonlySet<PropertyKey> = new Set(['rules', 'changes']);

const fieldAt = (path: Path): string =>
  path[0] !== undefined && deepFields.has(path[0]) ? path.join('.') : String(path[0]);

const withinField = (path: Path, problem: Problem): Problem =>
  path[0] !== undefined && deepFields.has(path[0])
    ? { ...problem, field: [...path, problem.field].join('.') }
    : problem;

/**
 * Of several forms that a value may have, the intended one is the one whose check failed deepest in the value. If every check
 * failed at the value itself, the union's own message is the best, except for a list that is too long; without one, the types
 * that it takes.
 */
function problemsOfUnion(
  issue: UnionIssue,
  checked: Checked,
  path: Path,
  refuse: (code: ErrorCode, sentence: string) => Problem[],
): Problem[] {
  const branches = issue.errors.filter((issues) => !isClearing(issues));
  const deepest = [...branches].sort((one, other) => depthOf(other) - depthOf(one))[0] ?? [];
  if (depthOf(deepest) > 0) return deepest.flatMap((inner) => problemsOfIssue(inner, checked, path));
  const tooLong = deepest.find((inner) => inner.code === 'too_big' && inner.origin === 'array');
  if (tooLong) return problemsOfIssue(tooLong, checked, path);
  if (issue.message !== '') return refuse('FIELD_INVALID', issue.message);
  const kinds = kindsIn(branches);
  if (kinds !== null) {
    const found = at(checked.value, path);
    if (found === undefined) return refuse('FIELD_MISSING', `${nameOf(path)} is needed.`);
    return refuse('FIELD_INVALID', wrongKind(nameOf(path), kinds, found));
  }
  const ofThisKind = branches.find((issues) => issues.every(({ code }) => code !== 'invalid_type')) ?? [];
  return ofThisKind.flatMap((inner) => problemsOfIssue(inner, checked, path));
}

const depthOf = (issues: readonly Issue[]): number =>
  Math.max(0, ...issues.map((issue) => issue.path.length));

/** `""` clears a field: not worth mentioning to a client that sent something else. */
const isClearing = ([issue, ...others]: readonly Issue[]): boolean =>
  others.length === 0 &&
  issue?.code === 'invalid_value' &&
  issue.path.length === 0 &&
  issue.values.every((value) => value === '');

/** The types that would be accepted, if only the type is wrong; otherwise null. */
function kindsIn(branches: readonly (readonly Issue[])[]): string[] | null {
  const kinds: string[] = [];
  for (const [issue, ...others] of branches) {
    if (issue?.code !== 'invalid_type' || others.length > 0) return null;
    kinds.push(issue.expected);
  }
  return kinds.length > 0 ? kinds : null;
}

/** A path in words: `"country" in entry 3 of "rules"`. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'The body';
  const sentence = named(path);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function named(path: Path): string {
  const [last, rest] = [path.at(-1), path.slice(0, -1)];
  if (typeof last === 'number') return `entry ${last + 1}${rest.length > 0 ? ` of ${named(rest)}` : ''}`;
  return `"${String(last)}"${rest.length > 0 ? ` in ${named(rest)}` : ''}`;
}

function at(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path)
    found =
      typeof found === 'object' && found !== null ? (found as Record<PropertyKey, unknown>)[step] : undefined;
  return found;
}

const kindNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
  null: 'null',
};

function wrongKind(name: string, expected: readonly string[], found: unknown): string {
  const kinds = expected.map((kind) => kindNames[kind] ?? `of type ${kind}`);
  const isQuoted =
    typeof found === 'string' &&
    ((expected.includes('boolean') && /^(?:true|false)$/i.test(found)) ||
      (expected.includes('number') && found.trim() !== '' && Number.isFinite(Number(found))));
  const isNumber = typeof found === 'number' && expected.some((kind) => kind === 'int' || kind === 'number');
  const difference = isQuoted ? ', without quotes' : isNumber ? wrongNumber(found) : notKind(found);
  return `${name} must be ${kinds.join(' or ')}${difference}.`;
}

/** JSON has numbers that are larger than any here, which are read as infinite. */
const wrongNumber = (found: number): string =>
  Number.isFinite(found) ? ', without a fraction' : ', and this one is too large';

/** Names only its type: a value in an error ends up in logs, and it may be a password. */
function notKind(found: unknown): string {
  if (found === undefined) return '';
  if (found === null) return ', not null';
  if (Array.isArray(found)) return ', not a list';
  return `, not ${kindNames[typeof found] ?? typeof found}`;
}

/** The value of a field with a list of choices is no secret. */
const shown = (found: unknown): string =>
  typeof found === 'string' && found.length <= 40 ? `, not ${JSON.stringify(found)}` : notKind(found);

function oneOf(values: readonly unknown[]): string {
  const choices = values.map((value) => JSON.stringify(value));
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(choices);
}

function amount(origin: string, bound: string, figure: number): string {
  const many = figure.toLocaleString('en');
  if (origin === 'string') return `have ${bound} ${many} ${figure === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `have ${bound} ${many} ${figure === 1 ? 'entry' : 'entries'}`;
  return `be ${bound} ${many}`;
}
