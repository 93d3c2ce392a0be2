import { z } from 'zod';
import { type Problem, Refusal } from '../rules/errors.ts';
import { meantName } from './field-names.ts';
import { problemsOfIssue } from './schema-problems.ts';

type Read<S extends z.ZodType> =
  | { readonly ok: true; readonly data: z.output<S> }
  | { readonly ok: false; readonly refusal: Refusal };

interface Circumstances {
  /** The field to blame where a single value is checked instead of a whole body. */
  readonly field?: string;
  /** Fields that answers carry, which were sent and are not read. */
  readonly ignored?: readonly string[];
}

/** Checks what was sent against its schema. */
export function readInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  { field, ignored = [] }: Circumstances = {},
): Read<S> {
  // Without a sentence of its own an issue comes back with an empty message, and gets its words from us.
  const result = schema.safeParse(value, { error: () => '' });
  if (result.success) return { ok: true, data: result.data };
  const known = fieldsOf(schema);
  const problems = result.error.issues
    .flatMap((issue) => problemsOfIssue(issue, { value, field, known }))
    .map((problem) => withMistaken(problem, ignored))
    // Many clients show the first alone, and a wrong name explains why the right one is missing.
    .sort((one, other) => Number(other.code === 'FIELD_UNKNOWN') - Number(one.code === 'FIELD_UNKNOWN'));
  const [first] = problems;
  if (!first) throw new Error('a schema refused without saying why');
  return {
    ok: false,
    refusal: new Refusal(first.code, first.sentence, {
      ...(first.field === undefined ? {} : { field: first.field }),
      problems,
    }),
  };
}

/** The same, for callers that have no other use for a refusal than to throw it. */
export function requireInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  circumstances?: Circumstances,
): z.output<S> {
  const read = readInput(schema, value, circumstances);
  if (!read.ok) throw read.refusal;
  return read.data;
}

/** A field that is missing may have been sent under a name that only answers have. */
function withMistaken(problem: Problem, ignored: readonly string[]): Problem {
  const { code, field } = problem;
  if (code !== 'FIELD_MISSING' || field === undefined) return problem;
  const mistaken = ignored.find((name) => meantName(name, [field]) === field);
  if (mistaken === undefined) return problem;
  return {
    ...problem,
    sentence: `"${field}" is needed. "${mistaken}" is a field of answers, and is not read.`,
  };
}

/** The names of the fields that an object may have; none where the schema is no object. */
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
