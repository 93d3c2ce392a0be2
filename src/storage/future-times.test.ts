import { expect, test } from 'bun:test';
import { storeFolder } from '../../test/support/migrated-store.ts';
import { dayLength, hourLength } from '../rules/durations.ts';
import { correctFutureTimes } from './future-times.ts';
import { openDatabase } from './open.ts';

test('no check of a destination comes between the corrections of its times', async () => {
  await using folder = await storeFolder();
  const database = await openDatabase(null, folder.path, () => {});
  const now = Date.now();
  const ahead = now + 365 * dayLength;
  const address = { url: 'http://a.example/', hop: 'http://a.example/', host: 'a.example', hops: 0, turn: 0 };
  await database.write(async (queries) => {
    await queries
      .insertInto('watched_urls')
      .values({
        ...{
          ...address,
          url_key: 'a',
          moved_to: null,
          problem: null,
          detail: null,
          since: null,
          untold: null,
        },
        ...{ suspected: 'broken', suspected_at: ahead, next_at: ahead + hourLength },
      })
      .execute();
    await queries
      .insertInto('watched_hosts')
      .values({ host: 'a.example', due_at: ahead + hourLength, free_at: ahead, answered_at: ahead })
      .execute();
  });
  const areAhead = async () => {
    const url = await database.read.selectFrom('watched_urls').selectAll().executeTakeFirstOrThrow();
    const host = await database.read.selectFrom('watched_hosts').selectAll().executeTakeFirstOrThrow();
    return [url.suspected_at, url.next_at, host.due_at].map((time) => Number(time) > now);
  };
  const seen: boolean[][] = [];
  await correctFutureTimes(
    {
      read: database.read,
      async write(change) {
        const result = await database.write(change);
        seen.push(await areAhead());
        return result;
      },
    },
    now,
  );
  // An address that is due with a suspicion from the future would be put off until then, and so would a host without a due address.
  // The last change is that of webhooks.
  expect(seen).toEqual([
    [false, false, true],
    [false, false, false],
    [false, false, false],
  ]);
  await database.close();
});
