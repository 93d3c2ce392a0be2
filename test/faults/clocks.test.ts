import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { dayLength, hourLength } from '../../src/rules/durations.ts';
import { firstAccount, postTo } from '../support/account.ts';
import { firefox } from '../support/agents-of-people.ts';
import { hitCounter } from '../support/counted-hits.ts';
import { eventually, pollUntil } from '../support/eventually.ts';
import { printFigure } from '../support/figure.ts';
import { migratedPostgres } from '../support/migrated-store.ts';
import { type Program, runServerWithPreload, temporaryFolder } from '../support/program.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { startTarget } from '../support/webhook-target.ts';

/** `npm run test:faults` runs all of them, with more visits. */
const isShort = process.env.ROUNDS === undefined;
const visits = isShort ? 20 : 300;
const year = 365 * dayLength;
const clockErrors = [
  ['an hour ahead', hourLength],
  ['an hour behind', -hourLength],
  ['a year ahead', year],
  ['a year behind', -year],
] as const;

const agentOf = (visit: number) => `${firefox} n${visit}`;

interface Node {
  readonly program: Program;
  readonly url: string;
}

/** Starts a node whose clock is ahead by this much, and which runs its jobs of every minute or day continuously. */
async function startNode(dataDir: string, ahead: number, settings: Record<string, string>): Promise<Node> {
  const CLOCK = `${dataDir}.clock`;
  await Bun.write(CLOCK, String(ahead));
  const program = runServerWithPreload('fake-clock.ts', {
    PORT: '0',
    DATA_DIR: dataDir,
    MISS_LIMIT: '0',
    FLOOD_LIMIT: '0',
    WEBHOOK_ALLOW: '127.0.0.1',
    CLOCK,
    ...settings,
  });
  return { program, url: await program.address() };
}

/** Makes one visit after another, each by a different visitor; returns how many were redirected. */
async function visitAll(urls: readonly string[], from = 0): Promise<number> {
  for (let visit = 0; visit < visits; visit++) {
    const url = urls[visit % urls.length] as string;
    const headers = { 'user-agent': agentOf(from + visit) };
    expect((await fetch(url, { headers, redirect: 'manual' })).status).toBe(302);
  }
  return visits;
}

type Count = (what: string) => Promise<number>;

/** Once the first attempts have failed, as if four seconds had passed: the nodes wait only for the fifth before the second ones. */
async function shortenWait(sql: SQL, messages: number, count: Count): Promise<void> {
  const isTried = async () => (await count('webhook_deliveries where tries > 0')) === messages;
  await eventually(isTried, 'the first attempts');
  await sql`update webhook_deliveries set next_try_at = next_try_at - 4000
    where state = 'waiting' and tries = 1 and claimed_until is null`;
}

/** The clocks that are wrong at the same time: a node for each, beside one whose clock is right. */
const turns = isShort ? [[clockErrors[0], clockErrors[3]]] : clockErrors.map((error) => [error]);

test.each(turns.map((errors) => [errors.map(([name]) => name).join(', of another '), errors] as const))(
  'nodes on PostgreSQL, the clock of one %s: each click counts once and in its hour, and each message is sent',
  async (name, errors) => {
    await using folder = await temporaryFolder();
    const DATABASE_URL = await migratedPostgres();
    // The target refuses each message the first time, so that one of the nodes must send it again.
    const refused = new Set<string>();
    const target = startTarget((_, { headers }) => {
      const id = headers['webhook-id'] ?? '';
      if (refused.has(id)) return new Response('thanks');
      refused.add(id);
      return new Response('not now', { status: 500 });
    });
    const settings = { DATABASE_URL, SECRET_KEY };
    const nodes = [await startNode(`${folder.path}/right`, 0, settings)];
    for (const [wrong, ahead] of errors)
      nodes.push(await startNode(`${folder.path}/${wrong}`, ahead, settings));
    const sql = new SQL({ url: DATABASE_URL, max: 1 });
    const count: Count = async (what) => Number((await sql.unsafe(`select count(*) as n from ${what}`))[0].n);
    try {
      const urls = nodes.map(({ url }) => url);
      const [right = '', ...wrong] = urls;
      const began = Date.now();
      const { authorization } = await firstAccount(right);
      const created = await postTo(wrong[0] ?? '')<{ id: number; suffix: string }>(
        '/api/v1/link',
        {
          destination_url: 'https://example.com/',
          webhook_url: target.url,
          webhook_events: ['click', 'link.updated'],
        },
        { authorization },
      );
      const answered = await visitAll(urls.map((url) => `${url}/${created.suffix}`));
      for (const url of wrong) {
        const change = async () => {
          const { status } = await fetch(`${url}/api/v1/link/${created.id}`, {
            method: 'PATCH',
            headers: { 'content-type': 'application/json', authorization },
            body: JSON.stringify({ destination_url: `https://example.com/${wrong.indexOf(url)}` }),
          });
          return status;
        };
        // On a busy machine, a call may time out.
        await pollUntil(change, (status) => status === 200, 'the change');
      }
      const messages = answered + wrong.length;
      if (isShort) await shortenWait(sql, messages, count);
      const counter = hitCounter('', DATABASE_URL);
      await eventually(async () => (await counter.of(created.id)).ledger >= answered, 'all clicks');
      await eventually(
        async () => (await count("webhook_deliveries where state = 'waiting'")) === 0,
        'deliveries',
        180_000,
      );
      const found = await counter.of(created.id);
      await counter.close();
      expect(found).toEqual({
        ledger: answered,
        distinctVisitors: answered,
        linkTotal: answered,
        organizationTotal: answered,
        clicks: answered,
      });
      const [{ first, last }] = await sql`select min(hour) as first, max(hour) as last from link_hours`;
      expect(Number(first)).toBeGreaterThanOrEqual(Math.floor(began / hourLength));
      expect(Number(last)).toBeLessThanOrEqual(Math.floor(Date.now() / hourLength));
      expect(await count("webhook_deliveries where state = 'delivered'")).toBe(messages);
      expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(messages);
      printFigure(
        `clock of one node ${name}: ${answered} visits, ${found.ledger} counted, ${messages} messages sent, with ${target.received.length} calls`,
      );
    } catch (cause) {
      for (const { program } of nodes) process.stderr.write(`${program.output().err.slice(-2_000)}\n`);
      throw cause;
    } finally {
      target.stop();
      await sql.end();
      for (const { program } of nodes) program.kill('SIGTERM');
      await Promise.all(nodes.map(({ program }) => program.exited));
    }
  },
  300_000,
);

test('on SQLite a clock that jumps by hours and years during operation loses no click', async () => {
  await using folder = await temporaryFolder();
  const dataDir = `${folder.path}/data`;
  const { program, url } = await startNode(dataDir, 0, {});
  try {
    const { key } = await firstAccount(url);
    const post = postTo(url, { headers: { 'api-key': key } });
    const link = { destination_url: 'https://example.com/' };
    const { id, suffix } = await post<{ id: number; suffix: string }>('/api/v1/link', link);
    let answered = await visitAll([`${url}/${suffix}`]);
    for (const [, ahead] of clockErrors) {
      await Bun.write(`${dataDir}.clock`, String(ahead));
      answered += await visitAll([`${url}/${suffix}`], answered);
      await post('/api/v1/link', link);
    }
    await Bun.write(`${dataDir}.clock`, '0');
    answered += await visitAll([`${url}/${suffix}`], answered);
    await post('/api/v1/link', link);
    const counter = hitCounter(dataDir, '');
    await eventually(async () => (await counter.of(id)).clicks >= answered, 'all clicks');
    const { clicks, linkTotal, organizationTotal } = await counter.of(id);
    await counter.close();
    expect([clicks, linkTotal, organizationTotal]).toEqual([answered, answered, answered]);
    printFigure(`clock that jumps by hours and years on SQLite: ${answered} visits, ${clicks} counted`);
  } catch (cause) {
    process.stderr.write(program.output().err.slice(-3_000));
    throw cause;
  } finally {
    program.kill('SIGTERM');
    await program.exited;
  }
}, 300_000);
