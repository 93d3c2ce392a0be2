import { expect, test } from 'bun:test';
import { Json } from './json.ts';

const value = {
  results: [
    { name: 'Frühling "1"', clicks: null },
    { name: '🦊\n', clicks: 2 },
  ],
  'a "quoted" key': { nested: [] as number[] },
  total: 2,
};

test('JSON joined from parts equals JSON written at once', () => {
  const parts = Json.object<typeof value>({
    results: Json.list(value.results.map((result) => Json.of(result))),
    'a "quoted" key': Json.object({ nested: Json.list<number>([]) }),
    total: Json.of(2),
  });
  expect(parts.text).toBe(JSON.stringify(value));
});

test('an empty list and an empty object are written as JSON', () => {
  expect(Json.list([]).text).toBe('[]');
  expect(Json.object({}).text).toBe('{}');
});
