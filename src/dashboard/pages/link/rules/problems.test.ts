import { expect, test } from 'bun:test';
import { besideField } from './problems.ts';

test("the API's names of a rule's fields are left out of the sentence beside the field", () => {
  const weight = '"weight" in entry 1 of "variants" in entry 2 of "rules" must be at most 1,000.';
  expect(besideField(weight)).toBe('This must be at most 1,000.');
  const city = 'Entry 3 of "city" in "not" in "when" in entry 1 of "rules" must have at most 100 characters.';
  expect(besideField(city)).toBe('Entry 3 must have at most 100 characters.');
  expect(besideField('Give a time, such as 09:00.')).toBe('Give a time, such as 09:00.');
});
