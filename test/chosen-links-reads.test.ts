import { beforeAll, describe, expect, test } from 'bun:test';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { countReads } from './support/count-reads.ts';
import { insertHits } from './support/hits.ts';

const others = 12_000;

describe.each(storeKinds)('hits of a link among many of others on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  let [busy, rare] = [0, 0];

  beforeAll(async () => {
    const body = { destination_url: 'example.com' };
    const newLink = async () => (await app.call('POST', '/api/v1/link', { key: owner.key, body })).json.id;
    [busy, rare] = [await newLink(), await newLink()];
    const hitOf = (link: number) => ({
      link,
      organization: owner.organizationId,
      at: app.clock.now - 1_000,
    });
    const hitsOfOthers = Array(others / 2).fill(hitOf(busy));
    await insertHits(app.app.context.database, [...hitsOfOthers, hitOf(rare), ...hitsOfOthers, hitOf(rare)]);
  });

  test('are exported without reading those of others page by page', async () => {
    const counted = countReads(app.app.context.database);
    const { text } = await app.call('GET', `/api/v1/clicks.csv?ids=${rare}`, { key: owner.key });
    counted.stop();
    expect(text.trim().split('\r\n')).toHaveLength(3);
    expect(counted.reads()).toBeLessThan(15);
  });

  test('are streamed without reading those of others part by part', async () => {
    const counted = countReads(app.app.context.database);
    const client = new AbortController();
    const { body } = await fetch(`${app.url}/api/v1/clicks/live?ids=${rare}&last_event_id=0`, {
      headers: { 'api-key': owner.key },
      signal: client.signal,
    });
    let received = '';
    for await (const bytes of body ?? []) {
      received += Buffer.from(bytes).toString();
      if (received.split('event: click').length > 2) break;
    }
    counted.stop();
    client.abort();
    expect([...received.matchAll(/"link_id":(\d+)/g)].map(([, id]) => Number(id))).toEqual([rare, rare]);
    expect(counted.reads()).toBeLessThan(15);
  });
});
