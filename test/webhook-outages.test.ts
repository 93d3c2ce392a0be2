import { expect, test } from 'bun:test';
import type { Mailer } from '../src/mail/mailer.ts';
import { mailOutages } from '../src/manage/webhooks/webhook-outages.ts';
import { hourLength } from '../src/rules/durations.ts';
import { listOutages, noteFailure } from '../src/storage/webhooks/webhook-outages.ts';
import { startApp, storeKinds } from './support/app.ts';

test('an outage that could not be reported is reported later, and delays no other report', async () => {
  const app = await startApp();
  const { database, now } = app.app.context;
  const owners = [await app.createAccount(), await app.createAccount(), await app.createAccount()];
  for (const { organizationId } of owners) {
    const target = { organization_id: organizationId, target_url: 'https://away.example/hook' };
    await database.write((queries) => noteFailure(queries, target, now() - 25 * hourLength));
    await database.write((queries) => noteFailure(queries, target, now()));
  }
  let sent = 0;
  const send = async () => {
    if (++sent === 1) throw new Error('broken on purpose');
    return true;
  };
  const mailer = { send, heldBack: () => {} } as unknown as Mailer;
  const context = {
    ...app.app.context,
    mailer,
    config: { ...app.app.context.config, registration: 'closed' },
  } as const;
  const isNotified = async () =>
    (
      await Promise.all(owners.map(({ organizationId }) => listOutages(database.read, organizationId, 0, 1)))
    ).map(([outage]) => outage?.told_at !== null);
  expect(await mailOutages(context).catch(String)).toContain('broken on purpose');
  expect((await isNotified()).filter(Boolean)).toHaveLength(2);
  await mailOutages(context);
  expect(await isNotified()).toEqual([true, true, true]);
  expect(sent).toBe(4);
  await app.stop();
});

test("an outage isn't marked as reported if no administrator has a proven address, and delays no other", async () => {
  const app = await startApp();
  const { database, now } = app.app.context;
  // Only the first account has proved its address. There are fifty others, as many as one run notifies.
  const { organizationId: proved } = await app.createAccount();
  const { organizationId: unproved } = await app.createAccount();
  const organizations = [unproved, ...Array.from({ length: 49 }, (_, index) => 10_000 + index), proved];
  for (const organization_id of organizations) {
    const target = { organization_id, target_url: 'https://away.example/hook' };
    await database.write((queries) => noteFailure(queries, target, now() - 25 * hourLength));
    await database.write((queries) => noteFailure(queries, target, now()));
  }
  const mails: string[] = [];
  const send = async ({ to }: { to: string }) => mails.push(to) > 0;
  const context = {
    ...app.app.context,
    mailer: { send, heldBack: () => {} } as unknown as Mailer,
    config: { ...app.app.context.config, registration: 'open' },
  } as const;
  await mailOutages(context);
  await mailOutages(context);
  expect(mails).toHaveLength(1);
  const notified = await database.read
    .selectFrom('webhook_outages')
    .select('organization_id')
    .where('told_at', 'is not', null)
    .execute();
  expect(notified).toEqual([{ organization_id: proved }]);
  await app.stop();
});

test('an outage whose node was killed before its mail was sent is reported by another node, an hour later', async () => {
  const app = await startApp();
  const { database, now } = app.app.context;
  const { organizationId } = await app.createAccount();
  const target = { organization_id: organizationId, target_url: 'https://away.example/hook' };
  const recordFailure = () => database.write((queries) => noteFailure(queries, target, now()));
  await recordFailure();
  app.clock.now += 25 * hourLength;
  await recordFailure();
  const mailOutagesWith = (send: () => Promise<boolean>) =>
    mailOutages({
      ...app.app.context,
      mailer: { send, heldBack: () => {} } as unknown as Mailer,
      config: { ...app.app.context.config, registration: 'closed' },
    });
  const { promise: isSending, resolve: sends } = Promise.withResolvers<void>();
  void mailOutagesWith(() => {
    sends();
    return new Promise<boolean>(() => {});
  });
  await isSending;
  let sent = 0;
  const mailFromOtherNode = () => mailOutagesWith(async () => ++sent > 0);
  await mailFromOtherNode();
  expect(sent).toBe(0);
  app.clock.now += hourLength;
  await recordFailure();
  await mailFromOtherNode();
  await mailFromOtherNode();
  expect(sent).toBe(1);
  await app.stop();
});

test.each(storeKinds)(
  'the number of failed deliveries is counted up to ten thousand, on %s',
  async (store) => {
    const app = await startApp({ store });
    const owner = await app.createAccount();
    const { id } = await app.createLink(owner);
    const failed = Array.from({ length: 11 }, (_, index) => ({
      created_at: app.clock.now,
      organization_id: owner.organizationId,
      link_id: id,
      event: 'click',
      message_id: `msg_${index}`,
      target_url: 'https://away.example/hook',
      body: '{}',
      signing_key: null,
      state: 'failed' as const,
      tries: 1,
      first_tried_at: app.clock.now,
      next_try_at: null,
      claimed_until: null,
    }));
    const { database } = app.app.context;
    const columns = Object.keys(failed[0] ?? {}) as (keyof (typeof failed)[0])[];
    await database.write(async (queries) => {
      await queries.insertInto('webhook_deliveries').values(failed).execute();
      for (let doubled = 0; doubled < 10; doubled++)
        await queries
          .insertInto('webhook_deliveries')
          .columns(columns)
          .expression(queries.selectFrom('webhook_deliveries').select(columns))
          .execute();
    });
    const list = await app.call('GET', `/api/v1/link/${id}/webhook_deliveries`, { key: owner.key });
    expect([list.json.total_webhook_deliveries, list.json.total_failed]).toEqual([11_264, 10_000]);
    await app.stop();
  },
);
