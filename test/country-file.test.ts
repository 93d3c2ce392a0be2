import { expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartProblem } from '../src/start-problem.ts';
import { startApp } from './support/app.ts';
import { twoNetworkFile } from './support/country-file.ts';
import { temporaryFolder } from './support/program.ts';

test("an operator's own country file determines the countries of visitors", async () => {
  await using folder = await temporaryFolder();
  const COUNTRY_FILE = join(folder.path, 'own.mmdb');
  await writeFile(COUNTRY_FILE, twoNetworkFile({ country_code: 'NZ' }, { country_code: 'IS' }));
  const app = await startApp({ env: { COUNTRY_FILE, TRUSTED_PROXIES: '1' } });
  try {
    const { key } = await app.createAccount();
    const body = { destination_url: 'https://example.com/' };
    const { json } = await app.call('POST', '/api/v1/link', { key, body });
    for (const address of ['9.9.9.9', '193.99.144.80', '193.99.144.81'])
      await app.visit(new URL(json.url).pathname, { 'x-forwarded-for': address });
    await app.app.clicks.settled();
    const stats = await app.call('GET', `/api/v1/link/${json.id}/stats?group_by=country`, { key });
    const groups = stats.json.groups.map(({ value, clicks }: { value: string; clicks: number }) => [
      value,
      clicks,
    ]);
    expect(groups).toEqual([
      ['IS', 2],
      ['NZ', 1],
    ]);
    expect(app.faults).toEqual([]);
  } finally {
    await app.stop();
  }
});

test.each([
  ['does not exist', null, 'cannot be read'],
  ['is another kind of file', 'country,code', 'is not a whole MaxMind database'],
])('a country file that %s ends the start with a message', async (_, content, sentence) => {
  await using folder = await temporaryFolder();
  const COUNTRY_FILE = join(folder.path, 'own.mmdb');
  if (content !== null) await writeFile(COUNTRY_FILE, content);
  // The program prints it as its only line: test/start-up.test.ts.
  const problem: unknown = await startApp({ env: { COUNTRY_FILE } }).catch((cause) => cause);
  if (!(problem instanceof StartProblem)) throw problem;
  expect(problem.message).toStartWith(
    `COUNTRY_FILE can not be used. The country file ${COUNTRY_FILE} ${sentence}`,
  );
  expect(problem.message.trim().split('\n')).toHaveLength(1);
});
