import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hourLength, minuteLength } from '../src/rules/durations.ts';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { type MailServer, startMailServer } from './support/mail-server.ts';
import { member } from './support/members.ts';
import { proveEmail } from './support/proven-emails.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

describe.each(storeKinds)('scheduled changes that are refused on %s', (store) => {
  let mails: MailServer;

  const { app, owner } = appWithOwner(async () => {
    mails = await startMailServer();
    return {
      store,
      env: { SMTP_URL: `smtp://127.0.0.1:${mails.port}` },
      overrides: { scheduledInterval: 10, refusalInterval: 10, webhooks: { pollInterval: 10 } },
    };
  });
  beforeAll(() => proveEmail(app, owner.userId));
  afterAll(() => mails[Symbol.asyncDispose]());

  const call = (method: string, path: string, body?: object, key = owner.key) =>
    app.call(method, `/api/v1/${path}`, { key, ...(body && { body }) });
  const createLink = async (body: object = {}) =>
    (await call('POST', 'link', { destination_url: 'https://example.com/', ...body })).json;
  /** Schedules changes that can't be made, as their tag is deleted before they are due. */
  const scheduleRefused = async (links: readonly number[], key = owner.key) => {
    const tag = (await call('POST', 'tag', { name: `gone ${links[0]}` })).json.id;
    const at = new Date(app.clock.now + minuteLength).toISOString();
    for (const id of links)
      expect(
        (await call('POST', `link/${id}/scheduled`, { at, changes: { add_tags: [tag] } }, key)).status,
      ).toBe(201);
    await call('DELETE', `tag/${tag}`);
    return at;
  };
  const refusedOf = async (id: number) =>
    (await call('GET', `link/${id}/scheduled`)).json.scheduled.filter(
      ({ status }: { status: string }) => status === 'refused',
    );
  /** Makes the changes due, waits until they are refused, and ends the wait for refusals to report together. */
  const waitForRefusals = async (...ids: readonly number[]) => {
    app.clock.now += minuteLength + 1;
    for (const id of ids) await eventually(async () => (await refusedOf(id)).length > 0, 'the refusal');
    app.clock.now += 6_000;
  };
  const mailsTo = ({ email }: { email: string }) =>
    mails.mails.filter(
      ({ to, headers }) => to.includes(email) && headers.get('subject')?.includes('scheduled change'),
    );
  const pending = async () => {
    const { lookup } = app.app.context.database;
    const rows = await lookup
      .selectFrom('scheduled_changes')
      .select('id')
      .where('untold', 'is not', null)
      .execute();
    return rows.length;
  };
  /** A mail arrives before it is recorded that it was sent. */
  const allRecorded = () =>
    eventually(async () => (await pending()) === 0, 'the notification to be recorded');

  test('are mailed together to the member who scheduled them, and sent to webhooks', async () => {
    const hook = target();
    const events = { webhook_url: hook.url, webhook_events: ['link.scheduled_change_refused'] };
    const firstLink = await createLink({ ...events, name: 'Summer' });
    const secondLink = await createLink();
    const at = await scheduleRefused([firstLink.id, secondLink.id]);
    await waitForRefusals(firstLink.id, secondLink.id);
    await eventually(() => mailsTo(owner).length > 0, 'the mail');
    const [mail] = mailsTo(owner);
    expect(mail?.headers.get('subject')).toBe('2 scheduled changes were not made');
    const text = mail?.parts['text/plain'] ?? '';
    expect(text).toContain(`Summer, `);
    expect(text).toContain(`${at.slice(11, 16)} UTC`);
    expect(text).toContain('/app\n');
    const [received] = await hook.calls(1);
    const [refused] = await refusedOf(firstLink.id);
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      event: 'link.scheduled_change_refused',
      payload: {
        link_id: firstLink.id,
        scheduled_change: { id: refused.id, refusal: { error_code: 'TAG_NOT_FOUND', field_key: 'add_tags' } },
      },
    });
    await allRecorded();
    app.clock.now += hourLength;
    expect(mailsTo(owner)).toHaveLength(1);
  });

  test('of a former member are mailed to administrators, and of a deleted link to its author', async () => {
    const guest = await member(app, owner);
    const { id } = await createLink();
    await scheduleRefused([id], guest.key);
    await call('DELETE', `member/${guest.userId}`);
    const before = mailsTo(owner).length;
    await waitForRefusals(id);
    await eventually(() => mailsTo(owner).length === before + 1, 'the mail to an administrator');
    expect(mailsTo(owner).at(-1)?.parts['text/plain']).toContain('a former member');
    expect(mailsTo(owner).at(-1)?.parts['text/plain']).toContain(`/app/links/${id}/scheduled`);
    expect(mailsTo(guest)).toEqual([]);
    await allRecorded();
    const deletedLink = await createLink();
    await scheduleRefused([deletedLink.id]);
    await call('DELETE', `link/${deletedLink.id}`);
    app.clock.now += minuteLength + 1;
    await eventually(async () => (await pending()) > 0, 'the refusal');
    app.clock.now += 6_000;
    await eventually(() => mailsTo(owner).length === before + 2, 'the mail about a deleted link');
    expect(mailsTo(owner).at(-1)?.parts['text/plain']).toContain('A link that was deleted');
    await allRecorded();
  });

  test('that are rescheduled before a notification cause none', async () => {
    const { id } = await createLink();
    await scheduleRefused([id]);
    const before = mailsTo(owner).length;
    app.clock.now += minuteLength + 1;
    await eventually(async () => (await refusedOf(id)).length > 0, 'the refusal');
    const [{ id: change }] = await refusedOf(id);
    const changes = { name: 'now it can' };
    const again = await call('PATCH', `scheduled_change/${change}`, {
      at: new Date(app.clock.now + minuteLength).toISOString(),
      changes,
    });
    expect(again.json.status).toBe('open');
    expect(await pending()).toBe(0);
    app.clock.now += 2 * minuteLength;
    await eventually(async () => (await call('GET', `link/${id}`)).json.name === changes.name, 'the change');
    expect(mailsTo(owner)).toHaveLength(before);
  });
});
