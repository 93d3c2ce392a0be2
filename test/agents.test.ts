import { expect, test } from 'bun:test';
import { type AgentRow, machines, people, previews } from './support/agent-lists.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';

const { app, owner } = appWithOwner({ env: { TRUSTED_PROXIES: '1' } });

/** Skips empty user agents, which another test covers: fetch always sends one. */
const withUserAgent = (rows: readonly AgentRow[]) => rows.filter(([, userAgent]) => userAgent.trim() !== '');

test.each([
  ['people are redirected, and count as clicks', people, 302, 'human', 'redirect'],
  ['link previewers get a card', previews, 200, 'preview', 'preview'],
  ['machines are refused', machines, 403, 'bot', 'refused'],
] as const)('protection, previews and the ledger classify all user agents the same: %s', async (...row) => {
  const [, rows, status, hitClass, outcome] = row;
  const { id, path } = await app.createLink(owner, { bot_protection: true, og_title: 'A card' });
  const visits = withUserAgent(rows);
  const responses = await Promise.all(
    visits.map(async ([name, userAgent, reason], index) => {
      const headers = { 'user-agent': userAgent, 'x-forwarded-for': `198.51.100.${index}` };
      const visited = await app.visit(`${path}?utm_content=a${index}`, headers);
      return { name, reason, index, status: visited.status };
    }),
  );
  expect(responses.filter((response) => response.status !== status)).toEqual([]);
  const list = async () =>
    (await app.call('GET', `/api/v1/link/${id}/clicks?class=all&limit=1000`, { key: owner.key })).json
      .clicks as { class: string; reason: string; outcome: string; utm_content: string }[];
  await eventually(async () => (await list()).length === visits.length, 'all hits');
  const byVisit = new Map((await list()).map((hit) => [hit.utm_content, hit]));
  for (const { name, reason, index } of responses)
    expect([name, byVisit.get(`a${index}`)]).toEqual([
      name,
      expect.objectContaining({ class: hitClass, reason, outcome }),
    ]);
});
