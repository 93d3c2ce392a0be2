import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { firstAccount, postTo } from '../support/account.ts';
import { firefox } from '../support/agents-of-people.ts';
import { hitCounter } from '../support/counted-hits.ts';
import { eventually } from '../support/eventually.ts';
import { printFigure } from '../support/figure.ts';
import { migratedPostgres } from '../support/migrated-store.ts';
import { type Program, runServer, temporaryFolder } from '../support/program.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { startTarget } from '../support/webhook-target.ts';

/** `npm run test:faults` kills more often. */
const isShort = process.env.ROUNDS === undefined;
const kills = isShort ? 1 : Math.min(100, Number(process.env.ROUNDS));
const nodeCount = isShort ? 2 : 3;
const clients = 6;
/** The number of answers before each kill. */
const responsesPerKill = isShort ? 30 : 10;
/** Of this many creations one is a tag, and one an API key. */
const creationsPerTag = 20;

interface Node {
  readonly program: Program;
  readonly url: string;
}

const json = { 'content-type': 'application/json' };
const agentOf = (visit: number) => `${firefox} n${visit}`;

/** A client's creations, each with an idempotency key of its own. */
function creationOf(key: string, count: number, tag: number): { path: string; body: object } {
  if (count % creationsPerTag === 1) return { path: '/api/v1/tag', body: { name: `tag ${key}` } };
  if (count % creationsPerTag === 2) return { path: '/api/v1/api_key', body: { name: key } };
  return { path: '/api/v1/link', body: { destination_url: 'https://example.com/', tags: [tag] } };
}

/** As if a minute had passed: claims of killed nodes expire at once, and `webhook-nodes.test.ts` tests that they do by themselves. */
const endClaims = (sql: SQL) =>
  sql`update webhook_deliveries set next_try_at = next_try_at - 60000, claimed_until = claimed_until - 60000
    where claimed_until is not null`;

test(`${kills} kills of ${nodeCount} nodes on PostgreSQL: no acknowledged link, tag, key, click or delivery is lost or doubled`, async () => {
  await using folder = await temporaryFolder();
  const target = startTarget();
  const settings = {
    PORT: '0',
    SECRET_KEY,
    DATABASE_URL: await migratedPostgres(),
    MISS_LIMIT: '0',
    FLOOD_LIMIT: '0',
    WEBHOOK_ALLOW: '127.0.0.1',
  };
  const start = async (name: string): Promise<Node> => {
    const program = runServer({ ...settings, DATA_DIR: `${folder.path}/${name}` });
    return { program, url: await program.address() };
  };
  const nodes = await Promise.all(Array.from({ length: nodeCount }, (_, index) => start(`${index}`)));
  const runningNodes: (Node | undefined)[] = [...nodes];
  const started = [...nodes];
  const sql = new SQL({ url: settings.DATABASE_URL, max: 1 });
  const count = async (what: string): Promise<number> =>
    Number((await sql.unsafe(`select count(*) as n from ${what}`))[0].n);
  try {
    const url = nodes[0]?.url ?? '';
    const { key: apiKey, authorization } = await firstAccount(url);
    const visited = await postTo(url)<{ id: number; suffix: string }>(
      '/api/v1/link',
      { destination_url: 'https://example.com/', webhook_url: target.url, webhook_events: ['click'] },
      { authorization },
    );
    const tag = await postTo(url)<{ id: number }>('/api/v1/tag', { name: 'of all' }, { authorization });
    const [linksBefore, keysBefore] = [await count('links'), await count('api_keys')];
    const responses = new Map<string, { id: number; count: number }>();
    const visits = { sent: 0, answered: 0 };
    let sentAgain = 0;
    let isOver = false;
    /** Sends a creation to one node after another until one of them answers. */
    const send = async (key: string, at: number): Promise<number> => {
      const { path, body } = creationOf(key, at, tag.id);
      for (let tries = 0; ; tries++) {
        const node = runningNodes[(at + tries) % nodeCount];
        // At least one node is always up.
        if (!node) continue;
        // An API key can't create API keys.
        const credentials = path === '/api/v1/api_key' ? { authorization } : { 'api-key': apiKey };
        const headers = { ...json, ...credentials, 'idempotency-key': key };
        const response = await fetch(node.url + path, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        }).catch(() => null);
        const text = await response?.text().catch(() => null);
        if (response?.status === 201 && text) return Number(JSON.parse(text).id);
        if (response && response.status < 500) throw new Error(`${path}: ${response.status} ${text}`);
        sentAgain++;
      }
    };
    const creating = Array.from({ length: clients }, async (_, client) => {
      for (let at = 0; !isOver; at++) {
        const key = `${client}-${at}`;
        responses.set(key, { id: await send(key, at), count: at });
      }
    });
    const visiting = Array.from({ length: nodeCount }, async (_, index) => {
      while (!isOver) {
        const node = runningNodes[index];
        if (node) {
          const headers = { 'user-agent': agentOf(++visits.sent) };
          const response = await fetch(`${node.url}/${visited.suffix}`, {
            headers,
            redirect: 'manual',
          }).catch(() => null);
          if (response?.status === 302) visits.answered += 1;
        }
        // Each visit also sends a webhook, and those are slower than visits.
        await Bun.sleep(40);
      }
    });
    for (let killed = 0; killed < kills; killed++) {
      const enough = [responses.size + responsesPerKill, visits.answered + responsesPerKill] as const;
      await eventually(
        () => responses.size > enough[0] && visits.answered > enough[1],
        'calls to be answered',
      );
      const at = killed % nodeCount;
      const victim = runningNodes[at];
      runningNodes[at] = undefined;
      victim?.program.kill('SIGKILL');
      await victim?.program.exited;
      const next = await start(`${at}`);
      started.push(next);
      runningNodes[at] = next;
    }
    isOver = true;
    await Promise.all([...creating, ...visiting]);

    for (const [key, { id, count }] of responses) expect([key, await send(key, count)]).toEqual([key, id]);
    const countOf = (rest: (count: number) => boolean) =>
      [...responses.values()].filter(({ count }) => rest(count)).length;
    const tags = countOf((at) => at % creationsPerTag === 1);
    const keys = countOf((at) => at % creationsPerTag === 2);
    const links = responses.size - tags - keys;
    expect([await count('links'), await count('api_keys')]).toEqual([linksBefore + links, keysBefore + keys]);
    expect([await count('tags'), await count('link_tags')]).toEqual([tags + 1, links]);
    const counter = hitCounter('', settings.DATABASE_URL);
    // Visits that got no answer may have been counted or not.
    await eventually(async () => (await counter.of(visited.id)).ledger >= visits.answered, 'all clicks');
    if (isShort) await endClaims(sql);
    await eventually(
      async () => (await count("webhook_deliveries where state = 'waiting'")) === 0,
      'deliveries',
      180_000,
    );
    const { ledger, distinctVisitors, clicks } = await counter.of(visited.id);
    await counter.close();
    expect(ledger).toBeLessThanOrEqual(visits.sent);
    expect([distinctVisitors, clicks]).toEqual([ledger, ledger]);
    const deliveredIds = new Set(target.received.map(({ headers }) => headers['webhook-id']));
    expect(deliveredIds.size).toBe(ledger);
    expect(new Set(target.received.map(({ body }) => JSON.parse(body).payload.id)).size).toBe(ledger);
    printFigure(
      `kill -9 of ${nodeCount} nodes on PostgreSQL: ${kills} times, ${links} links, ${tags} tags, ${keys} keys, ${visits.answered} visits answered, ${ledger} counted, ${target.received.length} deliveries of ${deliveredIds.size} events, ${sentAgain} calls sent again`,
    );
  } finally {
    await sql.end();
    for (const { program } of started) program.kill('SIGKILL');
    await Promise.all(started.map(({ program }) => program.exited));
  }
}, 3_600_000);
