import { expect, test } from 'bun:test';
import { ApiError } from './api-error.ts';

test("the API's name of a field is left out of the sentence beside the field", () => {
  const problem = (sentence: string) =>
    new ApiError(400, [{ code: 'FIELD_INVALID', sentence, field: 'suffix' }]).sentenceFor('suffix');
  expect(problem('"suffix" must have at least 1 character.')).toBe('This must have at least 1 character.');
  expect(problem('"suffix" can not be empty.')).toBe('This can not be empty.');
  expect(problem('"suffix" holds control characters.')).toBe('This holds control characters.');
  expect(problem('"menu" is a path of the service itself.')).toBe('"menu" is a path of the service itself.');
});
