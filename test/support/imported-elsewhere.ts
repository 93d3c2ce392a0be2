import { expect } from 'bun:test';
import { join } from 'node:path';
import { importLinks } from '../../src/cli/import-links.ts';
import type { TestApp } from './app.ts';

/** The link that another account has after it has imported this CSV. */
export async function importedElsewhere(app: TestApp, csv: string) {
  const file = join(app.dataDir, 'elsewhere.csv');
  await Bun.write(file, csv);
  const { email, key } = await app.createAccount();
  const result = await importLinks.run(app.app.context, { email, file });
  expect(result).toMatchObject({ output: 'Made 1 link.\n' });
  const { links } = (await app.call('GET', '/api/v1/link', { key })).json;
  expect(links).toHaveLength(1);
  return links[0];
}
