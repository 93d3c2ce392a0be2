import { beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { eachClick } from '../src/stats/clicks.ts';
import { appWithOwner } from './support/app-suite.ts';
import { countReads } from './support/count-reads.ts';
import { eventually } from './support/eventually.ts';
import { insertHits } from './support/hits.ts';

const hits = 30_000;
const { app, owner } = appWithOwner();

beforeAll(async () => {
  const { json } = await app.call('POST', '/api/v1/link', {
    key: owner.key,
    body: { destination_url: 'example.com' },
  });
  const at = app.clock.now - 1_000;
  // Far more than the socket buffers hold.
  const text = 'long'.repeat(70);
  const texts = { referrer: text, utm_source: text, utm_medium: text, utm_campaign: text };
  const hit = { link: json.id, organization: owner.organizationId, at, ...texts };
  await insertHits(app.app.context.database, Array(hits).fill(hit));
});

test('an export stops reading when its client stops reading, and ends when the client disconnects', async () => {
  const counted = countReads(app.app.context.database);
  const { port } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `GET /api/v1/clicks.csv?class=all HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\napi-key: ${owner.key}\r\n\r\n`,
  );
  let received = 0;
  await new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      received += bytes.length;
      socket.pause();
      resolve();
    });
  });
  let before = -1;
  await eventually(async () => {
    const now = counted.reads();
    const isUnchanged = now === before;
    before = now;
    if (!isUnchanged) await Bun.sleep(100);
    return isUnchanged;
  }, 'the export to wait for its client');
  const readsWhileWaiting = counted.reads();
  expect(readsWhileWaiting).toBeGreaterThan(5);
  expect(readsWhileWaiting).toBeLessThan((hits / 500) * 3);
  socket.destroy();
  await Bun.sleep(300);
  // Reads that were under way when the client disconnected may finish, but no more follow.
  expect(counted.reads() - readsWhileWaiting).toBeLessThan(20);
  counted.stop();
  expect(received).toBeLessThan(hits * 60);
});

test('an export whose reader returns early reads no further pages', async () => {
  const { database } = app.app.context;
  const question = {
    owner: { kind: 'organization', id: owner.organizationId },
    class: 'all',
    range: {},
    rawSince: 0,
  } as const;
  const pages = eachClick(database, question);
  expect((await pages.next()).value?.length).toBeGreaterThan(0);
  await pages.return(undefined);
  expect((await pages.next()).done).toBe(true);
  let listed = 0;
  let largest = 0;
  for await (const page of eachClick(database, question)) {
    listed += page.length;
    largest = Math.max(largest, page.length);
  }
  expect([listed, largest]).toEqual([hits, 500]);
});
