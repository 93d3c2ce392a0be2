import { expect, test } from 'bun:test';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { browserUserAgent, type TestResponse } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { decoded } from './support/decoded.ts';
import { eventually } from './support/eventually.ts';

const { app, owner } = appWithOwner();

const referer = 'https://www.news.example/story?id=1&"<b>';
const query = '?utm_source=letter&utm_campaign=spring';

async function createLink(fields: object): Promise<{ readonly id: number; readonly path: string }> {
  const { id, path } = await app.createLink(owner, fields);
  return { id, path: `${path}${query}` };
}

const referrerIn = (page: TestResponse): string | null => {
  const attribute = /name="referrer" value="([^"]*)"/.exec(page.text)?.[1];
  return attribute === undefined ? null : decoded(attribute);
};

async function proofOn(page: TestResponse): Promise<string> {
  const challenge: Challenge = JSON.parse(decoded(/data-challenge="([^"]+)"/.exec(page.text)?.[1] ?? ''));
  return btoa(JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }));
}

/** Sends the form of one of our pages as a browser does: with all its fields, and without a Referer. */
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  app.visit(
    path,
    { 'user-agent': browserUserAgent, ...headers },
    { method: 'POST', body: new URLSearchParams(fields) },
  );

async function clicksOf(
  id: number,
): Promise<{ referrer: string; utm_source: string; utm_campaign: string }[]> {
  const list = async () =>
    (await app.call('GET', `/api/v1/link/${id}/clicks`, { key: owner.key })).json.clicks;
  await eventually(async () => (await list()).length > 0, 'the click');
  return list();
}

const expectedClick = { referrer: 'news.example', utm_source: 'letter', utm_campaign: 'spring' };

test('the referrer is recorded for a link with a password, even after a wrong one', async () => {
  const { id, path } = await createLink({ password: 'sesame' });
  const page = await app.visit(path, { 'user-agent': browserUserAgent, referer });
  expect(referrerIn(page)).toBe(referer);
  const again = await send(path, { password: 'barley', referrer: referrerIn(page) ?? '' });
  expect([again.status, referrerIn(again)]).toEqual([401, referer]);
  const passed = await send(path, { password: 'sesame', referrer: referrerIn(again) ?? '' });
  expect(passed.status).toBe(302);
  expect(await clicksOf(id)).toEqual([expect.objectContaining(expectedClick)]);
});

test('the referrer is recorded for a link with a captcha, even after an invalid solution', async () => {
  const { id, path } = await createLink({ captcha: true });
  const page = await app.visit(path, { 'user-agent': browserUserAgent, referer });
  const again = await send(path, { altcha: 'x', referrer: referrerIn(page) ?? '' });
  expect([again.status, referrerIn(again)]).toEqual([403, referer]);
  const fields = { altcha: await proofOn(again), referrer: referrerIn(again) ?? '' };
  expect((await send(path, fields)).status).toBe(302);
  expect(await clicksOf(id)).toEqual([expect.objectContaining(expectedClick)]);
});

test('the referrer is recorded for a link with both', async () => {
  const { id, path } = await createLink({ password: 'sesame', captcha: true });
  const page = await app.visit(path, { 'user-agent': browserUserAgent, referer });
  const second = await send(path, { password: 'sesame', referrer: referrerIn(page) ?? '' });
  expect([second.status, referrerIn(second)]).toEqual([200, referer]);
  const cookie = second.headers.get('set-cookie')?.split(';')[0] ?? '';
  const fields = { altcha: await proofOn(second), referrer: referrerIn(second) ?? '' };
  expect((await send(path, fields, { cookie })).status).toBe(302);
  expect(await clicksOf(id)).toEqual([expect.objectContaining(expectedClick)]);
});

test('the referrer is known to rules, and recorded, if the password was already sent in another tab', async () => {
  const special = 'https://destination.example/for-readers';
  const rules = [{ when: { referrer: ['news.example'] }, destination_url: special }];
  const { id, path } = await createLink({ password: 'sesame', rules });
  const first = await send(path, { password: 'sesame', referrer: referer });
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const second = await send(
    path,
    { password: 'sesame', referrer: referer },
    { cookie, 'accept-language': 'de' },
  );
  expect([first, second].map(({ headers }) => headers.get('location'))).toEqual([special, special]);
  await eventually(async () => (await clicksOf(id)).length === 2, 'both clicks');
  expect(await clicksOf(id)).toEqual(Array(2).fill(expect.objectContaining(expectedClick)));
});

test('a very long Referer is truncated, which keeps the host', async () => {
  const { path } = await createLink({ password: 'sesame' });
  const long = `https://www.news.example/${'x'.repeat(3_000)}`;
  const page = await app.visit(path, { 'user-agent': browserUserAgent, referer: long });
  expect(referrerIn(page)).toBe(long.slice(0, 1_000));
});

test('a click without a Referer is recorded without a referrer', async () => {
  const { id, path } = await createLink({ password: 'sesame' });
  expect(referrerIn(await app.visit(path, { 'user-agent': browserUserAgent }))).toBeNull();
  expect((await send(path, { password: 'sesame' })).status).toBe(302);
  expect(await clicksOf(id)).toEqual([expect.objectContaining({ ...expectedClick, referrer: null })]);
});

test('a forged referrer is not recorded', async () => {
  const { id, path } = await createLink({ password: 'sesame' });
  const forgeries = {
    'another scheme': 'javascript:alert(1)',
    'line breaks, as in a journal': 'https://a.example/\n1\n2\n00\nGET',
    'a space': 'https://a.example/ b',
    'characters that a header can not have': 'https://a.example/\u{1f600}',
    'too many characters': `https://a.example/${'x'.repeat(3_000)}`,
    'no characters': '',
  };
  for (const [index, [name, forged]] of Object.entries(forgeries).entries()) {
    // Of another visitor each: a repeat is no click.
    const headers = { 'user-agent': `${browserUserAgent} n${index}` };
    const { status } = await send(path, { password: 'sesame', referrer: forged }, headers);
    expect([name, status]).toEqual([name, 302]);
  }
  const count = Object.keys(forgeries).length;
  await eventually(async () => (await clicksOf(id)).length === count, 'all clicks');
  const withoutReferrer = expect.objectContaining({ ...expectedClick, referrer: null });
  expect(await clicksOf(id)).toEqual(Array(count).fill(withoutReferrer));
});
