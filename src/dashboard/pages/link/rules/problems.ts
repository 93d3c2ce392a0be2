import { besideField } from '../../../api-error.ts';
import type { LinkForm } from '../form.ts';
import type { Rule } from './rule.ts';

interface Problem {
  readonly path: string;
  readonly sentence: string;
}

const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

export type Problems = ReturnType<typeof problemsOf>;

/** The API's problems with a part of a rule, by the names of its fields: `when.country.0`. */
const problemsOf = (problems: readonly Problem[]) => ({
  hasAny: problems.length > 0,
  /** The problem of this field, or of something in it. */
  sentenceFor: (field: string) => problems.find(({ path }) => isWithin(path, field))?.sentence ?? null,
  /** The indexes of the values in this list that have problems. */
  indexesIn: (field: string): readonly number[] =>
    problems.flatMap(({ path }) => {
      const index = path.startsWith(`${field}.`)
        ? Number(path.slice(field.length + 1).split('.')[0])
        : Number.NaN;
      return Number.isNaN(index) ? [] : index;
    }),
  /** The problems of all other fields. */
  sentencesOutside: (fields: readonly string[]) =>
    problems.flatMap(({ path, sentence }) => (fields.some((field) => isWithin(path, field)) ? [] : sentence)),
});

/** A rule that was changed since it was sent has no problems; the others keep theirs. */
export function problemsOfRule({ error, sent }: LinkForm, rule: Rule): Problems {
  const index = sent.rules.indexOf(rule);
  if (!error || index < 0) return problemsOf([]);
  const prefix = `rules.${index}`;
  return problemsOf(
    error.problems.flatMap(({ field, sentence }) =>
      field !== null && isWithin(field, prefix)
        ? { path: field.slice(prefix.length + 1), sentence: besideField(sentence) }
        : [],
    ),
  );
}
