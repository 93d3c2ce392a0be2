import { expect, test } from 'bun:test';
import { STATUS_CODES } from 'node:http';
import { redirectStatuses } from '../rules/destinations/forwarding.ts';
import { statusText } from './status-text.ts';

test('reason phrases are the standard ones, and none of a redirect is missing', () => {
  const standard = Object.keys(statusText).map((status) => [status, STATUS_CODES[status]]);
  expect(Object.entries(statusText)).toEqual(standard as [string, string][]);
  expect(redirectStatuses.filter((status) => statusText[status] === undefined)).toEqual([]);
});
