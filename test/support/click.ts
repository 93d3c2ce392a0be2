import type { LinkWithHooks } from '../../src/ledger/fold-store.ts';
import { findAnyLink } from '../../src/storage/links.ts';
import { insertDeliveries } from '../../src/storage/webhook-queue.ts';
import { clickDeliveries, type FoldedClick } from '../../src/webhooks/click-outbox.ts';
import type { TestApp } from './app.ts';

const foldedClick = (linkId: number, at: number, index: number): FoldedClick => ({
  index,
  linkId,
  at,
  outcome: 'redirect',
  target: 'default',
  class: 'human',
  reason: 'browser',
  country: 'DE',
  device: 'desktop',
  os: 'Linux',
  osVersion: '',
  browser: 'Chrome',
  browserVersion: '140',
  language: 'de',
  referrerHost: '',
  utmSource: '',
  utmMedium: '',
  utmCampaign: '',
  utmTerm: '',
  utmContent: '',
  source: 'link',
  address: '203.0.113.77',
  userAgent: 'Mozilla/5.0',
});

async function linkForWebhook({ app }: TestApp, linkId: number): Promise<LinkWithHooks> {
  const link = await findAnyLink(app.context.database.read, linkId);
  if (!link) throw new Error(`no link ${linkId}`);
  return {
    id: link.id,
    organizationId: link.organization_id,
    suffix: link.suffix,
    host: link.host,
    destinationUrl: link.destination_url,
    androidUrl: link.android_url,
    iosUrl: link.ios_url,
    webhookUrl: link.webhook_url,
    webhookEvents: link.webhook_events,
    signingKey: link.webhook_auth_key,
    zapierHookUrl: link.zapier_hook_url,
  };
}

let batches = 0;

/** Puts clicks on a link into the outbox, as the fold does in its transaction. Nobody is woken. */
export async function foldClicks(app: TestApp, linkId: number, count = 1): Promise<void> {
  const link = await linkForWebhook(app, linkId);
  const { database, site } = app.app.context;
  const clicks = Array.from({ length: count }, (_, index) => foldedClick(linkId, app.clock.now, index));
  const settings = {
    site,
    addressForm: 'shortened',
    now: app.clock.now,
    batch: `test ${++batches}`,
    hitIdOf: (index: number) => batches * 1_000 + index,
  } as const;
  const rows = clickDeliveries(clicks, new Map([[linkId, link]]), settings);
  await database.write((queries) => insertDeliveries(queries, rows));
}
