import { expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { accountWithLinks } from './support/account.ts';
import { browserUserAgent } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { buildFile } from './support/one-file.ts';
import { freshPostgres } from './support/postgres.ts';
import { previousRelease } from './support/previous-release.ts';
import { type Program, problemsOf, runFile, runServer, stop, temporaryFolder } from './support/program.ts';

const checkout = join(import.meta.dir, '..');
const git = (...parameters: string[]) =>
  Bun.spawnSync(['git', '-C', checkout, ...parameters], { stderr: 'ignore' });
/** False in an archive of the sources, and in a clone without history. */
const hasPreviousRelease = git('cat-file', '-e', `${previousRelease.commit}^{commit}`).exitCode === 0;

/** Builds the single file of the previous release with the packages of this one: it starts with half the CPU time of its sources. */
async function buildPrevious(folder: string): Promise<string> {
  const archive = join(folder, 'release.tar');
  const paths = ['src', 'scripts', 'deploy', 'package.json', 'package-lock.json', 'tsconfig.json'];
  expect(git('archive', '-o', archive, previousRelease.commit, ...paths).exitCode).toBe(0);
  await Bun.$`tar -xf ${archive} -C ${folder}`.quiet();
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  return buildFile(join(folder, 'dist'), [], folder);
}

interface Node {
  readonly url: string;
  readonly program: Program;
}

/** Sends visits, creations, edits and deletions to the nodes in turn until it is stopped. */
function startLoad(nodes: readonly Node[], key: string, suffixes: readonly string[]) {
  const outcomes: Record<string, number> = {};
  const headers = { 'content-type': 'application/json', 'api-key': key };
  let isOver = false;
  let turn = 0;
  const call = async (kind: string, path: string, init: RequestInit = {}): Promise<Response | null> => {
    const node = nodes[turn++ % nodes.length];
    const response = await fetch(`${node?.url}${path}`, { redirect: 'manual', ...init }).catch(String);
    const outcome = `${kind} ${typeof response === 'string' ? response : response.status}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    return typeof response === 'string' ? null : response;
  };
  const visit = async () => {
    const suffix = suffixes[turn % suffixes.length];
    await (
      await call('visit', `/${suffix}`, { headers: { 'user-agent': `${browserUserAgent} n${turn}` } })
    )?.arrayBuffer();
  };
  const change = async () => {
    const body = JSON.stringify({ destination_url: `https://example.com/${turn}` });
    const created = await call('create', '/api/v1/link?disable_png=true', { method: 'POST', headers, body });
    if (created?.status !== 201) return;
    const { id, suffix } = (await created.json()) as { id: number; suffix: string };
    // It has not been visited before, so it isn't in a cache.
    await call('visit', `/${suffix}`, { headers: { 'user-agent': browserUserAgent } });
    await call('edit', `/api/v1/link/${id}`, { method: 'PATCH', headers, body: '{"name":"edited"}' });
    await call('list', '/api/v1/link?limit=5', { headers });
    await call('delete', `/api/v1/link/${id}`, { method: 'DELETE', headers });
  };
  const running = [visit, visit, change, change].map(async (work) => {
    while (!isOver) {
      await work();
      // Leaves CPU for the nodes.
      await Bun.sleep(120);
    }
  });
  return {
    outcomes,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

/** Changes that any future migration may make. */
const additions = [
  'alter table links add column added_to_test bigint',
  'alter table link_bin add column added_to_test bigint',
  'create unique index concurrently links_added_to_test on links (organization_id, added_to_test) where added_to_test is not null',
  `alter table organizations add column added_to_test text not null default ''`,
  `alter table domains add column added_to_test text not null default ''`,
  `alter table users add column added_to_test text not null default ''`,
  'alter table link_hours add column added_to_test bigint',
];

test.skipIf(!hasPreviousRelease)(
  'nodes of the previous release are upgraded one after the other under load: nothing fails, each click counts; and one may be downgraded',
  async () => {
    await using release = await temporaryFolder();
    const previous = [await buildPrevious(release.path), 'serve'];
    await using folders = await temporaryFolder();
    const url = await freshPostgres();
    const started: Program[] = [];
    const start = async (name: string, command?: string[]): Promise<Node> => {
      const settings = {
        PORT: '0',
        DATA_DIR: join(folders.path, name),
        DATABASE_URL: `${url}?connect_timeout=60`,
        SECRET_KEY: 'b'.repeat(64),
        MISS_LIMIT: '0',
        DRAIN_SECONDS: '1',
        DNS_SERVERS: '127.0.0.1:9',
      };
      const program = command === undefined ? runServer(settings) : runFile(command, settings, folders.path);
      started.push(program);
      return { url: await program.address(), program };
    };
    await using _ = {
      [Symbol.asyncDispose]: async () => {
        for (const { kill } of started) kill('SIGKILL');
        await Promise.all(started.map(({ exited }) => exited));
      },
    };
    const replace = async (nodes: Node[], index: number, name: string, command?: string[]) => {
      const [old] = nodes.splice(index, 1);
      if (old) await stop(old.program);
      nodes.splice(index, 0, await start(name, command));
    };

    const nodes = [await start('a', previous)];
    nodes.push(await start('b', previous));
    const suffixes = Array.from({ length: 10 }, (_, index) => `busy-${index}`);
    const { key } = await accountWithLinks(nodes[0]?.url ?? '', suffixes);

    const load = startLoad(nodes, key, suffixes);
    const moreOf = (outcome: string) => {
      const before = load.outcomes[outcome] ?? 0;
      return eventually(() => (load.outcomes[outcome] ?? 0) > before + 4, `more of ${outcome}`);
    };
    await moreOf('delete 204');
    const sql = new SQL({ url, max: 1 });
    for (const statement of additions) await sql.unsafe(statement);
    await moreOf('delete 204');
    await replace(nodes, 0, 'a');
    const [done] = await sql.unsafe('select max(number)::integer as number from migrations');
    expect(done?.number).toBe(newestMigration);
    // The first node is new, the second is of the previous release.
    await moreOf('delete 204');
    await replace(nodes, 1, 'b');
    await moreOf('delete 204');
    // Within a release, going back is possible.
    await replace(nodes, 0, 'a', previous);
    await moreOf('delete 204');
    await load.stop();
    console.info(`rolling upgrade: ${JSON.stringify(load.outcomes)}`);
    // On an overloaded machine an API call may time out with 504; a visit never does.
    const timedOut = Object.keys(load.outcomes).filter((outcome) =>
      /^(create|edit|list|delete) 504$/.test(outcome),
    );
    const timedOutCalls = timedOut.reduce((sum, outcome) => sum + (load.outcomes[outcome] ?? 0), 0);
    expect(timedOutCalls).toBeLessThan((load.outcomes['edit 200'] ?? 0) / 4);
    for (const outcome of timedOut) delete load.outcomes[outcome];
    expect(Object.keys(load.outcomes).sort()).toEqual([
      'create 201',
      'delete 204',
      'edit 200',
      'list 200',
      'visit 302',
    ]);
    for (const { program } of nodes) await stop(program);
    const [counted] = await sql.unsafe(
      'select sum(click + page + preview + bot + prefetch + head + repeat + flood)::integer as hits from link_hours',
    );
    expect(counted?.hits).toBe(load.outcomes['visit 302']);

    // Once the store requires a newer release, going back is refused.
    await sql.unsafe(`update settings set value = '${newestMigration}' where key = 'least_migration'`);
    const refused = start('a', previous).catch(() => {});
    const program = started.at(-1) as Program;
    expect(await program.exited).toBe(1);
    await refused;
    expect(problemsOf(program).join('\n')).toContain('newer Linnet');
    await sql.end();
  },
  240_000,
);
