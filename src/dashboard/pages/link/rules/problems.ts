import type { LinkForm } from '../form.ts';
import type { Rule } from './rule.ts';

/** The API's problems with a part of a rule, by the names of its fields: `when.country.0`. */
export interface Problems {
  readonly hasAny: boolean;
  /** The problem of this field, or of something in it. */
  sentenceFor(path: string): string | null;
  /** The indexes of the values in this list that have problems. */
  indexesIn(path: string): readonly number[];
  /** The problems of all other fields. */
  sentencesOutside(paths: readonly string[]): readonly string[];
}

interface Problem {
  readonly path: string;
  readonly sentence: string;
}

const isWithin = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

const problemsOf = (problems: readonly Problem[]): Problems => ({
  hasAny: problems.length > 0,
  sentenceFor: (field) => problems.find(({ path }) => isWithin(path, field))?.sentence ?? null,
  indexesIn: (field) =>
    problems.flatMap(({ path }) => {
      const index = path.startsWith(`${field}.`)
        ? Number(path.slice(field.length + 1).split('.')[0])
        : Number.NaN;
      return Number.isNaN(index) ? [] : index;
    }),
  sentencesOutside: (fields) =>
    problems.flatMap(({ path, sentence }) => (fields.some((field) => isWithin(path, field)) ? [] : sentence)),
});

const noProblems: Problems = problemsOf([]);

/** A rule that was changed since it was sent has no problems; the others keep theirs. */
export function problemsOfRule({ error, sent }: LinkForm, rule: Rule): Problems {
  const index = sent.rules.indexOf(rule);
  if (!error || index < 0) return noProblems;
  const prefix = `rules.${index}`;
  return problemsOf(
    error.problems.flatMap(({ field, sentence }) =>
      field !== null && isWithin(field, prefix) ? { path: field.slice(prefix.length + 1), sentence } : [],
    ),
  );
}
