import { expect, test } from 'bun:test';
import { ApiError } from '../../../api-error.ts';
import { withFieldNames } from './refused-changes.ts';

test('the problems of a change that is saved later name its fields by their labels', () => {
  const problem = (field: string | null, sentence: string) => ({ code: 'FIELD_INVALID', field, sentence });
  const refused = new ApiError(400, [
    problem('changes.destination_url', 'This is not a web address.'),
    problem('changes.name', '"name" in "changes" must have at most 500 characters.'),
    problem('changes.rules.0.name', '"name" in entry 1 of "rules" in "changes" must be a string.'),
    problem('changes.add_tags', 'A link has at most 100 tags.'),
    problem('at', 'Give an instant that is yet to come.'),
  ]);
  expect((withFieldNames(refused) as ApiError).problems.map(({ sentence }) => sentence)).toEqual([
    'Destination: This is not a web address.',
    'Name: This must have at most 500 characters.',
    'Rules: This must be a string.',
    'Tags: A link has at most 100 tags.',
    'Give an instant that is yet to come.',
  ]);
});
