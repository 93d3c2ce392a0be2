import { z } from 'zod';
import { type Problem, Refusal, refusalOfAll } from '../rules/errors.ts';
import { suggestedName } from './field-names.ts';
import { problemsOfIssue } from './schema-problems.ts';

interface InputOptions {
  /** The field in the error if a single value is checked instead of a whole body. */
  readonly field?: string;
  /** Fields of answers that were sent, and are ignored. */
  readonly ignored?: readonly string[];
}

/** Validates input against its schema. */
export function readInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  { field, ignored = [] }: InputOptions = {},
): z.output<S> | Refusal {
  // Issues without a message of their own get an empty one here; `problemsOfIssue` writes their text.
  const result = schema.safeParse(value, { error: () => '' });
  if (result.success) return result.data;
  const known = fieldsOf(schema);
  const problems = result.error.issues
    .flatMap((issue) => problemsOfIssue(issue, { value, field, known }))
    .map((problem) => withMistaken(problem, ignored))
    // Many clients show only the first error, and a wrong name explains why the right one is missing.
    .sort((one, other) => Number(other.code === 'FIELD_UNKNOWN') - Number(one.code === 'FIELD_UNKNOWN'));
  return refusalOfAll(problems);
}

/** The same, for callers that only throw the refusal. */
export function requireInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  options?: InputOptions,
): z.output<S> {
  const read = readInput(schema, value, options);
  if (read instanceof Refusal) throw read;
  return read;
}

/** A missing field may have been sent under a name that only answers have. */
function withMistaken(problem: Problem, ignored: readonly string[]): Problem {
  const { code, field } = problem;
  if (code !== 'FIELD_MISSING' || field === undefined) return problem;
  const mistaken = ignored.find((name) => suggestedName(name, [field]) === field);
  if (mistaken === undefined) return problem;
  return {
    ...problem,
    sentence: `"${field}" is needed. "${mistaken}" is a field of answers, and is not read.`,
  };
}

/** The names of the fields that an object may have; none if the schema isn't one of an object. */
export function fieldsOf(schema: z.core.$ZodType | undefined): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  return schema instanceof z.ZodPipe ? fieldsOf(schema.in) : [];
}

/** The fields that an answer has and a body doesn't. */
export function answerOnlyFields(
  answer: z.core.$ZodType | undefined,
  body: z.core.$ZodType | undefined,
): readonly string[] {
  const sent = fieldsOf(body);
  return fieldsOf(answer).filter((name) => !sent.includes(name));
}
