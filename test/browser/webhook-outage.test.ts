import { expect, test } from 'bun:test';
import { appOfSuite } from '../support/browser-suite.ts';
import { foldClicks } from '../support/click.ts';
import { eventually } from '../support/eventually.ts';
import { targetOfEachTest } from '../support/webhook-target.ts';
import { linkPagesOf, patience } from './link-page.ts';

const app = await appOfSuite();
const open = linkPagesOf(app);
const target = targetOfEachTest();

test(
  'what failed during an outage is seen, and goes out again with one click',
  async () => {
    let isAway = true;
    const hook = target(() => new Response(null, { status: isAway ? 410 : 200 }));
    const { page, link, owner } = await open({ webhook_url: hook.url }, '/webhook');
    const states = async (): Promise<string[]> =>
      (
        await app.call('GET', `/api/v1/link/${link.id}/webhook_deliveries`, { key: owner.key })
      ).json.webhook_deliveries.map(({ state }: { state: string }) => state);
    await foldClicks(app, link.id);
    await foldClicks(app, link.id);
    await eventually(async () => (await states()).join() === 'failed,failed', 'two failed deliveries');

    await page.getByRole('link', { name: 'Organization' }).first().click();
    const failing = page.getByRole('region', { name: 'Webhooks that fail' });
    await failing.getByText(hook.url).waitFor();
    await page.goBack();

    isAway = false;
    await page.getByRole('button', { name: 'Redeliver all 2 that failed' }).click();
    await page.getByText('Delivered').nth(1).waitFor();
    expect(await states()).toEqual(['delivered', 'delivered']);
    await page.getByRole('button', { name: 'Redeliver all 2 that failed' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Organization' }).first().click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await failing.waitFor({ state: 'detached' });
    await page.context().close();
  },
  patience,
);
