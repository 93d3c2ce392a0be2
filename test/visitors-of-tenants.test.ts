import { expect, test } from 'bun:test';
import { startApp, storeKinds, type TestAccount } from './support/app.ts';
import { visitorsIn } from './support/stored-visitors.ts';

test.each(storeKinds)('a visitor of two organizations has a different id in each, on %s', async (store) => {
  const app = await startApp({ store, env: { TRUSTED_PROXIES: '1' } });
  try {
    const owners = [await app.createAccount(), await app.createAccount()];
    const linkOf = async ({ key }: TestAccount) => {
      const body = { destination_url: 'https://example.com/' };
      return (await app.call('POST', '/api/v1/link', { key, body })).json as { id: number; suffix: string };
    };
    const links = [await linkOf(owners[0] as TestAccount), await linkOf(owners[1] as TestAccount)];
    // The same visitors visit both, one after the other, so that a cache of visitors would find them.
    for (let visitor = 1; visitor <= 20; visitor++) {
      for (const { suffix } of links)
        await app.visit(`/${suffix}`, { 'x-forwarded-for': `198.51.100.${visitor}` });
    }
    await app.app.clicks.settled();
    const rows = await visitorsIn(app.app.context.database.read);
    const visitorsOf = (owner: number) =>
      new Set(rows.filter((row) => row.owner === owner).map(({ visitor }) => visitor));
    const [firstVisitors, secondVisitors] = owners.map(({ organizationId }) => visitorsOf(-organizationId));
    expect([firstVisitors?.size, secondVisitors?.size]).toEqual([20, 20]);
    expect(firstVisitors?.isDisjointFrom(secondVisitors ?? new Set())).toBe(true);
    expect(links.map(({ id }) => visitorsOf(id))).toEqual([
      firstVisitors ?? new Set(),
      secondVisitors ?? new Set(),
    ]);
  } finally {
    await app.stop();
  }
});
