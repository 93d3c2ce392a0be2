import { expect, test } from 'bun:test';
import { ApiError, besideField, sentenceOf } from './api-error.ts';

test("the API's name of a field is left out of the sentence beside the field", () => {
  const problem = (sentence: string) =>
    new ApiError(400, [{ code: 'FIELD_INVALID', sentence, field: 'suffix' }]).sentenceFor('suffix');
  expect(problem('"suffix" must have at least 1 character.')).toBe('This must have at least 1 character.');
  expect(problem('"suffix" can not be empty.')).toBe('This can not be empty.');
  expect(problem('"suffix" holds control characters.')).toBe('This holds control characters.');
  expect(problem('"menu" is a path of the service itself.')).toBe('"menu" is a path of the service itself.');
});

test('what the API advises programs to send or to call is left out, or said in words for people', () => {
  const shown = (error_code: string, error_string: string) => sentenceOf({ error_code, error_string });
  const taken =
    '"menu" is the suffix of link 5 of your own organization, perhaps made by this call when it was sent before: GET /api/v1/link/5 answers it. Or choose another suffix.';
  expect(shown('SUFFIX_TAKEN', taken)).toBe(
    '"menu" is the suffix of another link of your organization. Choose another suffix.',
  );
  expect(shown('SUFFIX_TAKEN', '"menu" is taken on this domain. Choose another suffix.')).toBe(
    '"menu" is taken on this domain. Choose another suffix.',
  );
  const printed = 'The link "menu" is in print: people who scan or type it would be led nowhere.';
  expect(shown('LINK_ON_PAPER', `${printed} If that is meant, send confirm=true in the address.`)).toBe(
    printed,
  );
  expect(shown('KEY_MISSING', 'Send a key.')).toContain('Your session had ended');
});

test("the API's names of a rule's fields are left out of the sentence beside the field", () => {
  const weight = '"weight" in entry 1 of "variants" in entry 2 of "rules" must be at most 1,000.';
  expect(besideField(weight)).toBe('This must be at most 1,000.');
  const city = 'Entry 3 of "city" in "not" in "when" in entry 1 of "rules" must have at most 100 characters.';
  expect(besideField(city)).toBe('Entry 3 must have at most 100 characters.');
  const planned =
    '"weight" in entry 1 of "variants" in entry 2 of "rules" in "changes" must be at most 1,000.';
  expect(besideField(planned)).toBe('This must be at most 1,000.');
  expect(besideField('Give a time, such as 09:00.')).toBe('Give a time, such as 09:00.');
});
