import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { receivedAnswer, sentAnswer } from './answer-as-json.ts';

const roundTrip = (rows: unknown[]) =>
  receivedAnswer(structuredClone(sentAnswer({ rows, changes: rows.length })));

test('rows are received as they were sent, whatever values SQLite returns', () => {
  using database = new Database(':memory:');
  const values = ["'text'", "''", 'char(0)', 'char(128512)', '0', '-1', '0.1', '9007199254740991', 'null'];
  for (const special of ['1e999', "x'00ff'", "x''", '1.5e300'])
    for (const value of [...values, special]) {
      const rows = database
        .query(`select ${value} as one, 'other' as two union all select ${special}, null`)
        .all();
      expect(roundTrip(rows)).toEqual({ rows, changes: 2 });
    }
});

test('only plain rows are sent as JSON', () => {
  const isJson = (rows: unknown[]) => 'json' in sentAnswer({ rows, changes: 0 });
  expect(isJson([{ id: 1, name: 'one', notes: null }])).toBe(true);
  expect(isJson([{ id: 1 }, { id: new Uint8Array(1) }])).toBe(false);
  expect(isJson([{ id: Number.POSITIVE_INFINITY }])).toBe(false);
  expect(isJson([])).toBe(false);
});
