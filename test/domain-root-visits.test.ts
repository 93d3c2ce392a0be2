import { expect, test } from 'bun:test';
import { domainSuite } from './support/domain-suite.ts';

const { suite, visit, addVerifiedDomain } = domainSuite('sqlite', { MISS_LIMIT: '5' });

test('visits to the root of a domain that has a page for it are no wrong addresses', async () => {
  const host = 'go.example.org';
  const id = await addVerifiedDomain(host);
  const body = { root_url: 'https://example.com/home' };
  await suite.app.call('PATCH', `/api/v1/domain/${id}`, { key: suite.owner.key, body });
  for (let time = 0; time < 12; time++) expect((await visit(host, '/')).status).toBe(302);
  const statuses = [];
  for (let time = 0; time < 6; time++) statuses.push((await visit(host, `/unknown-${time}`)).status);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
});
