import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { folderOf, segmentFile } from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { RecordWriter } from '../src/journal/record-writer.ts';
import { browserUserAgent, storeKinds, type TestAccount } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { plainHit } from './support/plain-hit.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

describe.each(storeKinds)('a hit has one id everywhere on %s', (store) => {
  const { app, owner: largeAccount } = appWithOwner({
    store,
    env: { TRUSTED_PROXIES: '1', WEBHOOK_ALLOW: '127.0.0.0/8' },
  });
  let smallAccount: TestAccount;

  beforeAll(async () => {
    smallAccount = await app.createAccount();
  });

  /** Hits of a batch that is sorted by link: SQLite has more of them for that. */
  const longBatch = store === 'sqlite' ? 4_500 : 1_800;

  /** Ids by `utm_content`, which identifies a hit here. */
  const byContent = (clicks: readonly { id: unknown; utm_content: string }[]) =>
    new Map(clicks.map(({ id, utm_content }) => [utm_content, id]));
  const listedIds = async (key: string, id: number) =>
    byContent((await app.call('GET', `/api/v1/link/${id}/clicks?limit=1000`, { key })).json.clicks);

  /** Writes a journal as if an earlier process had left it: it is folded at the first visit, in one batch, link by link. */
  function writeLeftoverJournal(hits: readonly RawHit[]): void {
    const name = { node: 'here', process: 'left' };
    mkdirSync(folderOf(app.dataDir, name), { recursive: true });
    const writer = new RecordWriter();
    for (const hit of hits) writer.add(hit);
    writeFileSync(segmentFile(folderOf(app.dataDir, name), 1), writer.finish());
  }

  const hit = (owner: TestAccount, linkId: number, index: number): RawHit => ({
    ...plainHit,
    linkId,
    organizationId: owner.organizationId,
    at: app.clock.now - 60_000 + index,
    address: `198.51.${index >> 8}.${index & 255}`,
    userAgent: browserUserAgent,
    query: `utm_content=h${index}`,
  });

  test('even if a long batch is sorted by link and packed', async () => {
    const [largeTarget, smallTarget] = [target(), target()];
    const otherLink = await app.createLink(largeAccount);
    const smallLink = await app.createLink(smallAccount, { webhook_url: smallTarget.url });
    const webhookLink = await app.createLink(largeAccount, { webhook_url: largeTarget.url });
    writeLeftoverJournal(
      Array.from({ length: longBatch }, (_, index) => {
        if (index % 900 === 5) return hit(smallAccount, smallLink.id, index);
        return hit(largeAccount, index % 100 === 7 ? webhookLink.id : otherLink.id, index);
      }),
    );
    await app.visit(otherLink.path, { 'x-forwarded-for': '203.0.113.9' });
    const posts = [
      ...(await largeTarget.calls(longBatch / 100)),
      ...(await smallTarget.calls(longBatch / 900)),
    ];
    const delivered = byContent(posts.map(({ body }) => JSON.parse(body).payload));
    const stored = [
      ...(await listedIds(largeAccount.key, webhookLink.id)),
      ...(await listedIds(smallAccount.key, smallLink.id)),
    ];
    expect(stored).toHaveLength(longBatch / 90);
    expect([...delivered].sort()).toEqual(stored.sort());
    const packs = await app.app.context.database.read.selectFrom('hit_packs').select('id').execute();
    expect(packs.length).toBeGreaterThan(0);
  }, 240_000);

  test('in webhooks, Zapier, its sample, the list, the export and the live stream', async () => {
    const [webhookTarget, zapierTarget] = [target(), target()];
    const { id, path, zapier_key } = await app.createLink(largeAccount, { webhook_url: webhookTarget.url });
    const body = { target_url: zapierTarget.url };
    await app.call('POST', '/api/v1/zapier/hooks', { key: zapier_key, body });
    const liveStream = await fetch(`${app.url}/api/v1/clicks/live`, {
      headers: { 'api-key': largeAccount.key },
    });
    await app.visit(`${path}?utm_content=alone`, { 'x-forwarded-for': '203.0.113.10' });
    const [webhookCall] = await webhookTarget.calls(1);
    const [zapierCall] = await zapierTarget.calls(1);
    const { payload } = JSON.parse(webhookCall?.body ?? '');
    expect(payload.id).toBeGreaterThan(0);
    expect(JSON.parse(zapierCall?.body ?? '').id).toBe(payload.id);
    await eventually(async () => (await listedIds(largeAccount.key, id)).size === 1, 'the click in the list');
    expect([...(await listedIds(largeAccount.key, id))]).toEqual([['alone', payload.id]]);
    const sample = await app.call('GET', '/api/v1/zapier/sample', { key: zapier_key });
    expect(sample.json.map((click: { id: number }) => click.id)).toEqual([payload.id]);
    const csv = await app.call('GET', `/api/v1/link/${id}/clicks.csv`, { key: largeAccount.key });
    expect(csv.text.split('\r\n')[1]).toStartWith(`${payload.id},`);
    let events = '';
    for await (const chunk of liveStream.body ?? []) {
      events += new TextDecoder().decode(chunk);
      if (events.includes('"utm_content":"alone"')) break;
    }
    expect(events).toContain(`id: ${payload.id}\n`);
  });
});
