import { afterAll, expect, test } from 'bun:test';
import { startApp } from '../support/app.ts';
import { accessibilityViolations, closeContexts, freshContext } from '../support/browser.ts';
import { runProgram, runServer, temporaryFolder } from '../support/program.ts';
import { followLink } from './follow-link.ts';

afterAll(closeContexts);

test('a fresh service is set up from another machine, and uses the address at which it was opened', async () => {
  await using folder = await temporaryFolder();
  const settings = { PORT: '0', HOST: '0.0.0.0', DATA_DIR: folder.path };
  const program = runServer(settings);
  try {
    const { port } = new URL(await program.address());
    const address = `http://people.example:${port}`;
    const page = await (await freshContext()).newPage();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Set up Linnet' }).waitFor();
    await page.getByText(/linnet (-- )?setup token/).waitFor();
    await page.getByText(address, { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('a long enough one');
    await page.getByLabel('Setup token').fill('not the right one');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('alert').first().waitFor();

    const command = runProgram(['linnet', 'setup', 'token'], settings);
    expect(await command.exited).toBe(0);
    await page.getByLabel('Setup token').fill(command.output().out);
    await page.getByRole('button', { name: 'Create account' }).click();
    // The service restarts at its new address meanwhile.
    await page.getByRole('navigation', { name: 'Main' }).waitFor({ timeout: 60_000 });
    expect(new URL(page.url()).origin).toBe(address);
    const state = await (await page.request.get(`http://127.0.0.1:${port}/api/v1/setup`)).json();
    expect(state).toMatchObject({ origin: address, base_url_is_set: true, needs_first_account: false });
  } finally {
    program.kill('SIGTERM');
    await program.exited;
  }
});

test('if BASE_URL is another address, a fresh service links to it and shows how to change it', async () => {
  const app = await startApp({ env: { BASE_URL: 'https://links.example.com' } });
  try {
    const address = `http://people.example:${new URL(app.url).port}`;
    const page = await (await freshContext()).newPage();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Linnet has another address' }).waitFor();
    expect(await page.getByRole('link', { name: 'https://links.example.com' }).getAttribute('href')).toBe(
      'https://links.example.com/app',
    );
    await page.getByText(`BASE_URL=${address}`).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  } finally {
    await app.stop();
  }
});

test('while the service is reachable only from one machine, the set-up and the page Domains show what to set first', async () => {
  const app = await startApp();
  try {
    const context = await freshContext();
    const page = await context.newPage();
    await page.goto(app.url);
    await page.getByText('it is only for this machine').waitFor();
    const { email, password, key } = await app.createAccount();
    await context.request.post(`${app.url}/api/v1/session`, { data: { email, password } });
    await page.goto(`${app.url}/app/domains`);
    const note = page.getByRole('note');
    // The lines as they are shown.
    expect(await note.innerText()).toContain('First set BASE_URL, where Linnet runs');
    expect(await page.getByRole('button', { name: 'Add domain' }).count()).toBe(0);
    const body = { domain: 'go.example.com' };
    const { json } = await app.call('POST', '/api/v1/domain', { key, body });
    await followLink(page, `/app/domains/${json.id}`);
    await page.getByRole('heading', { name: body.domain }).waitFor();
    expect(await note.innerText()).toContain('Set BASE_URL, where it runs');
    // The owner of the first account sees the service's health, as the command "doctor" reports it.
    await followLink(page, '/app/organization');
    const service = page.getByRole('region', { name: 'This service' });
    await service.getByText('No backup is known.').waitFor();
    await service.getByText(/^Make one: .*backup FILE/).waitFor();
    await service.getByText('All settings can be used.').waitFor();
    await service.getByRole('button', { name: 'Check again' }).click();
    expect(await page.getByText('127.0.0.1', { exact: true }).count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
  } finally {
    await app.stop();
  }
});
