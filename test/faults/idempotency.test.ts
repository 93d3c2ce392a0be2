import { expect, test } from 'bun:test';
import { firstAccount } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { migratedPostgres } from '../support/migrated-store.ts';
import { type Program, runServer, temporaryFolder } from '../support/program.ts';

/** `npm run test:faults` kills more often. */
const kills = process.env.ROUNDS === undefined ? 1 : 20;
const clients = 8;
/** Answered before a kill. */
const between = 60;

interface Node {
  readonly program: Program;
  readonly url: string;
}

const json = { 'content-type': 'application/json' };

test(`${kills} kills of nodes while links are made by keys: none is made twice, and every answer stays`, async () => {
  await using folder = await temporaryFolder();
  const settings = {
    PORT: '0',
    SECRET_KEY: 'the same secret on every node, long enough',
    DATABASE_URL: await migratedPostgres(),
  };
  const start = async (name: string): Promise<Node> => {
    const program = runServer({ ...settings, DATA_DIR: `${folder.path}/${name}` });
    return { program, url: await program.address() };
  };
  const nodes = await Promise.all(['0', '1'].map(start));
  const standing: (Node | undefined)[] = [...nodes];
  const started = [...nodes];
  try {
    const { key: apiKey } = await firstAccount(nodes[0]?.url ?? '');
    const answers = new Map<string, string>();
    let sentAgain = 0;
    let isOver = false;
    /** Sends a creation to one node after another, until one answers. */
    const send = async (key: string, at: number): Promise<string> => {
      for (let tries = 0; ; tries++) {
        const node = standing[(at + tries) % 2];
        // One of them always stands.
        if (!node) continue;
        const headers = { ...json, 'api-key': apiKey, 'idempotency-key': key };
        const body = JSON.stringify({ destination_url: 'https://example.com/' });
        const answer = await fetch(`${node.url}/api/v1/link`, { method: 'POST', headers, body }).catch(
          () => null,
        );
        const text = await answer?.text().catch(() => null);
        // What an address is called depends on the node's own, where BASE_URL isn't set.
        if (answer?.status === 201 && text) return String(JSON.parse(text).suffix);
        sentAgain++;
      }
    };
    const making = Array.from({ length: clients }, async (_, client) => {
      for (let count = 0; !isOver; count++) {
        const key = `${client}-${count}`;
        answers.set(key, await send(key, client + count));
      }
    });
    for (let killed = 0; killed < kills; killed++) {
      const enough = answers.size + between;
      await eventually(() => answers.size > enough, 'links to be made');
      const victim = standing[killed % 2];
      standing[killed % 2] = undefined;
      victim?.program.kill('SIGKILL');
      await victim?.program.exited;
      if (killed + 1 === kills) break;
      const next = await start(`${killed % 2}`);
      started.push(next);
      standing[killed % 2] = next;
    }
    isOver = true;
    await Promise.all(making);
    const keys = [...answers.keys()];
    for (const key of keys) expect([key, await send(key, 0)]).toEqual([key, answers.get(key) ?? '']);
    const left = standing.find((node) => node !== undefined);
    const list = await fetch(`${left?.url}/api/v1/link?limit=1`, { headers: { 'api-key': apiKey } });
    const { total_links } = (await list.json()) as { total_links: number };
    console.info(`${keys.length} links, ${kills} kills: ${sentAgain} sent again`);
    expect(total_links).toBe(keys.length);
    expect(new Set(answers.values()).size).toBe(keys.length);
  } finally {
    for (const { program } of started) program.kill('SIGKILL');
    await Promise.all(started.map(({ program }) => program.exited));
  }
}, 600_000);
