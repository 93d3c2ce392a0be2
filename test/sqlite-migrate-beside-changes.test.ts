import { expect, test } from 'bun:test';
import { replaceSetting } from '../src/storage/settings.ts';
import { startApp } from './support/app.ts';

test('a change that begins while a migration ends makes neither of them fail', async () => {
  const app = await startApp({ store: 'sqlite' });
  const { database } = app.app.context;
  let isOver = false;
  const change = async () => {
    while (!isOver) {
      await database.write((queries) => replaceSetting(queries, 'one', 'value'));
      // A migration waits for a moment without changes.
      await new Promise(setImmediate);
    }
  };
  const changing = change();
  for (let turn = 0; turn < 50; turn++)
    await database.migrate((queries) => replaceSetting(queries, 'other', String(turn)));
  isOver = true;
  await changing;
  expect(app.faults).toEqual([]);
  await app.stop();
});
