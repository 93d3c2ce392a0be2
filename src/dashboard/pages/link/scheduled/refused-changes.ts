import { ApiError, besideField } from '../../../api-error.ts';
import { changeNames, type FieldName, labels } from '../fields.ts';

const isLabelled = (text: string): text is FieldName => Object.hasOwn(labels, text);

/** The label of a field of the API, such as `changes.add_tags` or `changes.rules.0.variants`. */
function labelOf(field: string): string | null {
  const [, name = ''] = /^changes\.(\w+)/.exec(field) ?? [];
  if (isLabelled(name)) return labels[name];
  const changed = (['tags', 'aliases'] as const).find((one) =>
    changeNames[one].some((changeName) => changeName === name),
  );
  return changed ? labels[changed] : null;
}

/** The error of a change that is refused, with the labels of its fields: they are not beside the dialog that shows it. */
export function withFieldNames(cause: unknown): unknown {
  if (!(cause instanceof ApiError)) return cause;
  const problems = cause.problems.map((problem) => {
    const label = problem.field === null ? null : labelOf(problem.field);
    return label === null ? problem : { ...problem, sentence: `${label}: ${besideField(problem.sentence)}` };
  });
  return new ApiError(cause.status, problems, cause.retryAfter);
}
