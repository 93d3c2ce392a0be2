import { beforeAll, describe, expect, test } from 'bun:test';
import { dayLength, minuteLength } from '../src/rules/durations.ts';
import { reportNode } from '../src/storage/nodes.ts';
import { startApp, storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';
import { member } from './support/members.ts';
import { metricValues } from './support/metric-values.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { runCommand } from './support/program.ts';
import { SECRET_KEY } from './support/secret-key.ts';

describe.each(storeKinds)('the nodes, on %s', (store) => {
  const app = appForSuite({ store, overrides: { heartbeatInterval: 20 } });
  let administrator: TestAccount;
  let tenant: TestAccount;
  beforeAll(async () => {
    administrator = await app.createAccount();
    tenant = await app.createAccount();
  });

  const nodes = async () =>
    (await app.call('GET', '/api/v1/instance/node', { key: administrator.key })).json.nodes;
  const insertNode = (row: {
    node: string;
    seen_at: number;
    waiting_clicks?: number;
    waiting_bytes?: number;
  }) =>
    app.app.context.database.write((queries) =>
      reportNode(queries, {
        process: crypto.randomUUID(),
        host_name: `host of ${row.node}`,
        version: '0.0.1',
        started_at: 1,
        waiting_clicks: 0,
        waiting_since: null,
        waiting_bytes: 0,
        migration: null,
        ...row,
      }),
    );

  test('report themselves, and are shown only to administrators of the service', async () => {
    const listed = await pollUntil(nodes, (found) => found?.length === 1, 'this node');
    expect(listed).toEqual([
      {
        node: (await Bun.file(`${app.dataDir}/node.id`).text()).trim(),
        host_name: expect.any(String),
        versions: [expect.stringMatching(/^\d+\.\d+\.\d+$/)],
        processes: 1,
        started_at: expect.any(String),
        seen_at: expect.any(String),
        is_gone: false,
        waiting_clicks: 0,
        waiting_since: null,
        waiting_bytes: 0,
      },
    ]);
    const errorFor = async (key: string) => {
      const { status, json } = await app.call('GET', '/api/v1/instance/node', { key });
      return [status, json.error_code];
    };
    expect(await errorFor(tenant.key)).toEqual([403, 'FORBIDDEN']);
    expect(await errorFor((await member(app, administrator)).key)).toEqual([403, 'FORBIDDEN']);
    expect((await app.call('GET', '/api/v1/instance/node')).status).toBe(401);
  });

  test('that are gone remain in the list with their waiting clicks, and in the metrics', async () => {
    const { now } = app.clock;
    await insertNode({
      node: 'dead',
      seen_at: now - 2 * minuteLength,
      waiting_clicks: 12,
      waiting_bytes: 3_400,
    });
    await insertNode({ node: 'away', seen_at: now - 9 * dayLength });
    const found = await pollUntil(nodes, (all) => all.length === 2, 'the older node to be removed');
    const goneNode = found.find(({ node }: { node: string }) => node === 'dead');
    expect(goneNode).toMatchObject({
      is_gone: true,
      waiting_clicks: 12,
      waiting_bytes: 3_400,
      versions: ['0.0.1'],
    });
    const metrics = metricValues(await (await fetch(`${app.url}/metrics`)).text());
    expect(metrics).toMatchObject({
      'linnet_nodes{state="here"}': 1,
      'linnet_nodes{state="gone"}': 1,
      linnet_gone_node_bytes: 3_400,
    });
  });

  // Each command starts a process, so they run only on SQLite; the last test of this file runs one on PostgreSQL.
  test.skipIf(store === 'postgres')(
    'are listed by a command that exits with 1 while clicks wait on a node that is gone',
    async () => {
      const settings = { DATA_DIR: app.dataDir, DATABASE_URL: app.databaseUrl };
      const run = async (...options: string[]) => {
        const program = runCommand(['nodes', ...options], settings);
        const code = await program.exited;
        return { code, out: program.output().out, err: program.output().err };
      };
      // A node that was killed, or stopped while the database was unreachable, may have later clicks than it could report.
      await insertNode({ node: 'killed', seen_at: app.clock.now - 2 * minuteLength });
      const list = await run();
      expect(list).toMatchObject({ code: 1, err: '' });
      const ofKilled = list.out.slice(list.out.indexOf('killed  ')).split('\n')[1];
      expect(ofKilled).toContain('All of its clicks were in the database when it was last seen.');
      expect(ofKilled).toContain('`fold DIR`');
      expect(await run('forget', 'killed')).toMatchObject({ code: 0 });
      expect(list.out).toMatch(/^dead {2}host of dead {2}version 0\.0\.1 {2}GONE, seen /m);
      expect(list.out).toContain('At least 12 clicks wait (0.0 MB in its journals).');
      expect(list.out).toContain('`fold DIR`, then `nodes forget dead`');
      const ownNodeId = (await Bun.file(`${app.dataDir}/node.id`).text()).trim();
      expect(await run('forget', ownNodeId)).toMatchObject({
        code: 1,
        err: expect.stringContaining('is there'),
      });
      expect(await run('forget', 'nobody')).toMatchObject({ code: 1 });

      // A node that stops cleanly, with all of its clicks in the database, is removed from the list.
      await app.app.stop();
      const remaining = JSON.parse((await run('--json')).out).nodes;
      expect(remaining.map(({ id }: { id: string }) => id)).toEqual(['dead']);
      expect(await run('forget', 'dead')).toMatchObject({ code: 0 });
      expect(await run()).toMatchObject({
        code: 0,
        out: expect.stringContaining('No node has reported itself'),
      });
    },
  );
});

test('a node that stopped with unfolded clicks is listed until its folder is folded', async () => {
  const DATABASE_URL = await migratedPostgres();
  const env = { DATABASE_URL, SECRET_KEY };
  const overrides = { heartbeatInterval: 20 };
  const runningNode = await startApp({ env, overrides });
  const stoppedNode = await startApp({ env, overrides: { ...overrides, hits: 'unfolded' } });
  try {
    stoppedNode.clock.now = runningNode.clock.now - 2 * minuteLength;
    const { key } = await runningNode.createAccount();
    const { path } = await runningNode.createLink({ key });
    for (let time = 0; time < 3; time++) expect((await stoppedNode.visit(path)).status).toBe(302);
    const id = (await Bun.file(`${stoppedNode.dataDir}/node.id`).text()).trim();
    const nodes = async () => (await runningNode.call('GET', '/api/v1/instance/node', { key })).json.nodes;
    const hasWaitingClicks = (all: { node: string; waiting_clicks: number; waiting_bytes: number }[]) =>
      all.some(
        ({ node, ...remaining }) =>
          node === id && remaining.waiting_clicks === 3 && remaining.waiting_bytes > 0,
      );
    await pollUntil(nodes, hasWaitingClicks, 'the clicks that wait');
    await stoppedNode.app.stop();
    const remaining = (await nodes()).find(({ node }: { node: string }) => node === id);
    expect(remaining).toMatchObject({ is_gone: true, waiting_clicks: 3, waiting_bytes: expect.any(Number) });

    const fold = runCommand(['fold', stoppedNode.dataDir], { ...env, DATA_DIR: runningNode.dataDir });
    expect([await fold.exited, fold.output().out]).toEqual([0, expect.stringContaining('3 hits new')]);
    expect((await nodes()).map(({ node }: { node: string }) => node)).not.toContain(id);
  } finally {
    await Promise.all([runningNode.stop(), stoppedNode.stop()]);
  }
});
