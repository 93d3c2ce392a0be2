import { expect, test } from 'bun:test';
import { organizationDeletionNotice } from './leave-organization.ts';

test('what is deleted with an organization is named with readable numbers', () => {
  const notice = organizationDeletionNotice('Large', { links: 334_493, domains: 1, tags: 0 });
  expect(notice).toContain('so it goes with its 334,493 links and 1 domain, its clicks');
});
