import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { folderOf, segmentFile } from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { RecordWriter } from '../src/journal/record-writer.ts';
import { browser, startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { plainHit } from './support/plain-hit.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

describe.each(storeKinds)('a hit has one id everywhere on %s', (store) => {
  let app: TestApp;
  let large: TestAccount;
  let small: TestAccount;

  beforeAll(async () => {
    app = await startApp({ store, env: { TRUSTED_PROXIES: '1', WEBHOOK_ALLOW: '127.0.0.0/8' } });
    large = await app.createAccount();
    small = await app.createAccount();
  });
  afterAll(async () => {
    expect(app.faults).toEqual([]);
    await app.stop();
  });

  async function linkOf({ key }: TestAccount, fields: object = {}) {
    const body = { destination_url: 'https://example.com/page', ...fields };
    const { json } = await app.call('POST', '/api/v1/link?disable_png=true', { key, body });
    return { id: json.id as number, zapierKey: json.zapier_key as string, path: new URL(json.url).pathname };
  }
  /** Ids by `utm_content`, which identifies a hit here. */
  const byContent = (clicks: readonly { id: unknown; utm_content: string }[]) =>
    new Map(clicks.map(({ id, utm_content }) => [utm_content, id]));
  const listed = async (key: string, id: number) =>
    byContent((await app.call('GET', `/api/v1/link/${id}/clicks?limit=1000`, { key })).json.clicks);

  /** Leaves a journal as of an earlier process, to be folded with the first visit: in one batch, link by link. */
  function leaveBehind(hits: readonly RawHit[]): void {
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
    userAgent: browser,
    query: `utm_content=h${index}`,
  });

  test('even if a long batch is sorted by link and packed', async () => {
    const [ofLarge, ofSmall] = [target(), target()];
    const other = await linkOf(large);
    const fewer = await linkOf(small, { webhook_url: ofSmall.url });
    const hooked = await linkOf(large, { webhook_url: ofLarge.url });
    leaveBehind(
      Array.from({ length: 4_500 }, (_, index) => {
        if (index % 900 === 5) return hit(small, fewer.id, index);
        return hit(large, index % 100 === 7 ? hooked.id : other.id, index);
      }),
    );
    await app.visit(other.path, { 'x-forwarded-for': '203.0.113.9' });
    const posts = [...(await ofLarge.calls(45)), ...(await ofSmall.calls(5))];
    const told = byContent(posts.map(({ body }) => JSON.parse(body).payload));
    const kept = [...(await listed(large.key, hooked.id)), ...(await listed(small.key, fewer.id))];
    expect(kept).toHaveLength(50);
    expect([...told].sort()).toEqual(kept.sort());
    const packs = await app.app.context.database.read.selectFrom('hit_packs').select('id').execute();
    expect(packs.length).toBeGreaterThan(0);
  }, 240_000);

  test('in webhooks, Zapier, its sample, the list, the export and the live stream', async () => {
    const [hook, zap] = [target(), target()];
    const { id, path, zapierKey } = await linkOf(large, { webhook_url: hook.url });
    const body = { target_url: zap.url };
    await app.call('POST', '/api/v1/zapier/hooks', { key: zapierKey, body });
    const live = await fetch(`${app.url}/api/v1/clicks/live`, { headers: { 'api-key': large.key } });
    await app.visit(`${path}?utm_content=alone`, { 'x-forwarded-for': '203.0.113.10' });
    const [webhook] = await hook.calls(1);
    const [flat] = await zap.calls(1);
    const { payload } = JSON.parse(webhook?.body ?? '');
    expect(payload.id).toBeGreaterThan(0);
    expect(JSON.parse(flat?.body ?? '').id).toBe(payload.id);
    await eventually(async () => (await listed(large.key, id)).size === 1, 'the click in the list');
    expect([...(await listed(large.key, id))]).toEqual([['alone', payload.id]]);
    const sample = await app.call('GET', '/api/v1/zapier/sample', { key: zapierKey });
    expect(sample.json.map((click: { id: number }) => click.id)).toEqual([payload.id]);
    const csv = await app.call('GET', `/api/v1/link/${id}/clicks.csv`, { key: large.key });
    expect(csv.text.split('\r\n')[1]).toStartWith(`${payload.id},`);
    let events = '';
    for await (const piece of live.body ?? []) {
      events += new TextDecoder().decode(piece);
      if (events.includes('"utm_content":"alone"')) break;
    }
    expect(events).toContain(`id: ${payload.id}\n`);
  });
});
