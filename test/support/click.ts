import type { FoldedClick } from '../../src/ledger/click.ts';
import { noWords } from '../../src/rules/click-fields.ts';
import { findAnyLink } from '../../src/storage/links/links.ts';
import { insertDeliveries } from '../../src/storage/webhooks/webhook-queue.ts';
import { clickDeliveries } from '../../src/webhooks/click-outbox.ts';
import type { TestApp } from './app.ts';

const foldedClick = (linkId: number, at: number, index: number): FoldedClick => ({
  ...noWords,
  index,
  position: `1/0/${index}`,
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
  source: 'link',
  address: '203.0.113.77',
  userAgent: 'Mozilla/5.0',
});

let batches = 0;

/** Puts clicks on a link into the outbox, as the fold does in its transaction. The deliverer isn't notified. */
export async function foldClicks(app: TestApp, linkId: number, count = 1): Promise<void> {
  const { database, site } = app.app.context;
  const link = await findAnyLink(database.read, linkId);
  if (!link) throw new Error(`no link ${linkId}`);
  const clicks = Array.from({ length: count }, (_, index) => foldedClick(linkId, app.clock.now, index));
  const settings = {
    site,
    addressForm: 'shortened',
    now: app.clock.now,
    journal: `test/${++batches}`,
    hitIdOf: (index: number) => batches * 1_000 + index,
  } as const;
  const rows = clickDeliveries(clicks, new Map([[linkId, link]]), settings);
  await database.write((queries) => insertDeliveries(queries, rows));
}
