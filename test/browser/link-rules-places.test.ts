import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { munich, twoNetworkFile } from '../support/country-file.ts';
import { field, linkPagesOf, save } from './link-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'linnet-places-'));
afterAll(() => rmSync(folder, { recursive: true }));
const COUNTRY_FILE = join(folder, 'cities.mmdb');
writeFileSync(COUNTRY_FILE, twoNetworkFile(munich, munich));
const app = await appOfSuite({ env: { COUNTRY_FILE } });
const open = linkPagesOf(app);

test('a rule by region and city is typed, shown, saved and tried', async () => {
  const { page, read } = await open({}, '/rules');
  const addCondition = async (key: string) => {
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.locator('.menu-list').getByRole('button', { name: key, exact: true }).click();
    await page.locator('.condition-value input:focus').waitFor();
  };
  await page.getByRole('button', { name: 'Add rule' }).click();
  await addCondition('Region');
  await page.keyboard.type('de-by');
  await page.keyboard.press('Enter');
  await addCondition('City');
  await page.keyboard.type('Munich, San José');
  await page.keyboard.press('Enter');
  await field(page, 'Destination of the rule').fill('https://example.com/munich');
  await page.getByText('If the visitor is in DE-BY, and is in Munich or San José').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await save(page);
  expect((await read()).rules).toMatchObject([{ when: { region: ['DE-BY'], city: ['Munich', 'San José'] } }]);
  await page.getByLabel('Region', { exact: true }).last().fill('DE-BY');
  await page.getByLabel('City', { exact: true }).last().fill('munich');
  await page.getByRole('button', { name: 'Show the result' }).click();
  await page.getByText('By rule 1, the visitor goes to').waitFor();
});
