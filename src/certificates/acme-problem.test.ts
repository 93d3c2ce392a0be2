import { expect, test } from 'bun:test';
import { problemOf } from './acme-problem.ts';

const urn = (type: string) => `urn:ietf:params:acme:error:${type}`;

test.each([
  [{ type: urn('caa'), detail: 'CAA record prevents issuance' }, 403, 'caa'],
  [{ type: urn('dns'), detail: 'NXDOMAIN' }, 400, 'dns'],
  [{ type: urn('connection'), detail: 'Timeout during connect' }, 400, 'connection'],
  [{ type: urn('unauthorized'), detail: 'The key authorization is another' }, 403, 'other_answer'],
  // From an authority that has no separate error type for failed connections.
  [{ type: urn('unauthorized'), detail: 'Connection refused' }, 403, 'connection'],
  [{ type: urn('rateLimited'), detail: 'too many certificates' }, 429, 'rate_limit'],
  [{ type: urn('rejectedIdentifier'), detail: 'forbidden by policy' }, 400, 'rejected_name'],
  [{ type: urn('externalAccountRequired'), detail: '' }, 403, 'account'],
  [{ type: urn('compound'), subproblems: [{ type: urn('caa'), detail: 'for this name' }] }, 403, 'caa'],
  [{ type: urn('somethingNew'), detail: 'no' }, 400, 'refused'],
  [{ type: urn('somethingNew') }, 500, 'authority_away'],
  [null, 503, 'authority_away'],
  ['a page of a proxy', 403, 'refused'],
])("the authority's response %j with status %i becomes %s", (document, status, problem) => {
  expect(problemOf(document, status).problem).toBe(problem as never);
});

test("the authority's message is reported in one line of bounded length", () => {
  const { message } = problemOf({ type: urn('dns'), detail: `one\r\ntwo\x1b[31m ${'x'.repeat(1_000)}` }, 400);
  expect(message).toStartWith('one two [31m xx');
  expect(message).toHaveLength(500);
});
