import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { startApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { SECRET_KEY } from './support/secret-key.ts';

const { app, owner } = appWithOwner({ store: 'postgres', env: { SECRET_KEY } });

test('a node that starts during a change applies it, although a later change was committed before', async () => {
  const [first, second] = ['https://example.com/first', 'https://example.com/second'];
  const link = await app.createLink(owner, { destination_url: first });
  const other = await app.createLink(owner);
  await using sql = new SQL(app.databaseUrl.replace(/\?.*/, ''), { max: 1 });
  await sql`begin`;
  await sql`update links set destination_url = ${second} where id = ${link.id}`;
  await sql`insert into changes (at, domain_id, suffixes) select ${app.clock.now}, domain_id, suffix from links where id = ${link.id}`;
  const body = { destination_url: second };
  expect(await app.call('PATCH', `/api/v1/link/${other.id}`, { key: owner.key, body })).toMatchObject({
    status: 200,
  });
  const node = await startApp({ env: { DATABASE_URL: app.databaseUrl, SECRET_KEY } });
  try {
    const target = async () => (await node.visit(link.path)).headers.get('location');
    expect(await target()).toBe(first);
    await sql`commit`;
    await eventually(async () => (await target()) === second, 'the node to apply the change');
  } finally {
    await node.stop();
  }
});
