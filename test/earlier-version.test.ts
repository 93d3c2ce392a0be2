import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journalsIn } from '../src/journal/files.ts';
import { browserUserAgent } from './support/app.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { type Program, runServer, stop, temporaryFolder } from './support/program.ts';

/** The fixture is described in test/fixtures/earlier-version/README.md. */
const fixture = join(import.meta.dir, 'fixtures', 'earlier-version');
const key = 'lnt_CrhZsv9deU2en3bLdqEkCIr2296STT891P3dju';
const [rows, packs, secret] = [1, 2, 3];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let program: Program;
let url: string;

// Keeps individual clicks for ten years, so that those of the fixture are still there when this runs.
const start = async () => {
  program = runServer({ PORT: '0', DATA_DIR: folder.path, CLICK_RETENTION_DAYS: '3650' });
  url = await program.address();
};

const get = async (path: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
  (await (await fetch(url + path, { headers: { 'api-key': key } })).json()) as any;

const countsOf = async (links: readonly number[]) => {
  const counter = hitCounter(folder.path, '');
  const counts = await Promise.all(links.map((id) => counter.of(id)));
  await counter.close();
  return counts;
};

beforeAll(async () => {
  folder = await temporaryFolder();
  await cp(fixture, folder.path, { recursive: true });
  const compressed = join(folder.path, 'linnet.sqlite.gz');
  await writeFile(join(folder.path, 'linnet.sqlite'), Bun.gunzipSync(await readFile(compressed)));
  await rm(compressed);
  await start();
});
afterAll(async () => {
  await stop(program);
  await folder[Symbol.asyncDispose]();
});

test('clicks that an earlier version journalled and did not fold are each counted once', async () => {
  await eventually(() => journalsIn(folder.path).length === 0, 'the earlier journal to be folded');
  const counted = async () => {
    const both = await countsOf([rows, packs]);
    return both.map((one) => [one.clicks, one.linkTotal, one.ledger, one.distinctVisitors]);
  };
  const expected = [
    [7, 7, 7, 7],
    [5_205, 5_205, 5_205, 5_205],
  ];
  expect(await counted()).toEqual(expected);
  await stop(program);
  await start();
  expect(await counted()).toEqual(expected);
});

test('its links are listed with tags and clicks, and its clicks from rows and packs', async () => {
  expect(await get(`/api/v1/link/${rows}`)).toMatchObject({
    destination_url: 'https://example.com/rows',
    clicks: 7,
    tags: [expect.objectContaining({ name: 'before' })],
  });
  expect(await get(`/api/v1/link/${packs}`)).toMatchObject({ clicks: 5_205, tags: [] });
  const { clicks } = await get(`/api/v1/link/${packs}/clicks?limit=100`);
  expect(clicks).toHaveLength(100);
  expect(clicks[0]).toMatchObject({ browser: 'Firefox', utm_source: 'letter' });
});

test('its links redirect, and visits are added to existing clicks', async () => {
  const visit = (suffix: string) =>
    fetch(`${url}/${suffix}`, { redirect: 'manual', headers: { 'user-agent': browserUserAgent } });
  for (const suffix of ['rows', 'packs']) {
    const { status, headers } = await visit(suffix);
    expect([status, headers.get('location')]).toEqual([302, `https://example.com/${suffix}`]);
  }
  expect(await (await visit('secret')).text()).toContain('password');
  await eventually(async () => (await get(`/api/v1/link/${rows}`)).clicks === 8, 'the new click');
  const [ofSecret] = await countsOf([secret]);
  expect(ofSecret?.clicks).toBe(0);
});

test('its account signs in with its password', async () => {
  const body = JSON.stringify({ email: 'owner@example.com', password: 'correct horse battery' });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${url}/api/v1/session`, { method: 'POST', headers, body })).status).toBe(201);
});
