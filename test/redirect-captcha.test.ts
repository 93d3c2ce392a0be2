import { describe, expect, test } from 'bun:test';
import { type Challenge, type Solution, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { minuteLength } from '../src/rules/durations.ts';
import { onOneStore, serialized, storeKinds, type TestResponse } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { decoded } from './support/decoded.ts';

const destination = 'https://destination.example/secret';

interface Proof {
  readonly challenge: Challenge;
  readonly solution: Solution;
}

describe.each(storeKinds)('a link with a captcha on %s', (store) => {
  const { app, owner } = appWithOwner({ store });

  const createLink = async (fields: object = {}): Promise<string> =>
    (await app.createLink(owner, { destination_url: destination, captcha: true, ...fields })).path;

  const send = (path: string, proof: unknown, headers: Record<string, string> = {}) => {
    const altcha = typeof proof === 'string' ? proof : btoa(JSON.stringify(proof));
    return app.visit(path, headers, { method: 'POST', body: new URLSearchParams({ altcha }) });
  };

  const proofFor = async (path: string): Promise<Proof> => solve(challengeOn(await app.visit(path)));

  test('redirects a visitor who solved it, with an uncacheable response, and shows a challenge again the next time', async () => {
    const path = await createLink();
    const passed = await send(path, await proofFor(path));
    expect([passed.status, passed.headers.get('location')]).toEqual([302, destination]);
    expect(passed.headers.get('cache-control')).toBe('private, no-store');
    expect((await app.visit(path)).status).toBe(200);
  });

  test('accepts a solution once: of a hundred simultaneous ones, one', async () => {
    const path = await createLink();
    const proof = await proofFor(path);
    const responses = await Promise.all(Array.from({ length: 100 }, () => send(path, proof)));
    const passed = responses.filter(({ status }) => status === 302);
    expect(passed).toHaveLength(1);
    const refused = responses.filter(({ status }) => status !== 302);
    for (const response of refused) {
      expect(response.status).toBe(403);
      expect(serialized(response)).not.toContain('destination.example');
    }
    const [again] = refused;
    expect(again?.text).toContain('That check was too old or used before. Here is a new one.');
    if (again) expect((await send(path, await solve(challengeOn(again)))).status).toBe(302);
  });

  test('asks for its password first, and neither replaces the other', async () => {
    const path = await createLink({ password: 'open sesame' });
    expect((await app.visit(path)).text).toContain('type="password"');
    const accepted = await app.visit(
      path,
      {},
      { method: 'POST', body: new URLSearchParams({ password: 'open sesame' }) },
    );
    const cookie = (accepted.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const page = await app.visit(path, { cookie });
    const proof = await solve(challengeOn(page));
    const withoutPass = await send(path, proof);
    expect([withoutPass.status, withoutPass.text.includes('type="password"')]).toEqual([200, true]);
    expect((await send(path, proof, { cookie })).headers.get('location')).toBe(destination);
  });

  onOneStore(store, () => {
    test('shows a challenge and nothing else of the link', async () => {
      const path = await createLink({
        name: 'hidden-name',
        android_link_destination: 'https://hidden-android.example',
      });
      const page = await app.visit(path);
      expect(page.status).toBe(200);
      expect(page.text).toContain('<button>Continue</button>');
      expect(serialized(page)).not.toMatch(/destination\.example|hidden-/);
      expect(challengeOn(page).parameters.nonce).not.toBe(
        challengeOn(await app.visit(path)).parameters.nonce,
      );
    });

    test('accepts no solution for another link', async () => {
      const [path, other] = [await createLink(), await createLink()];
      const proof = await proofFor(other);
      expect((await send(path, proof)).status).toBe(403);
      expect((await send(other, proof)).status).toBe(302);
    });

    test('accepts a solution for ten minutes', async () => {
      const path = await createLink();
      const start = Math.floor(app.clock.now / 1000) * 1000;
      app.clock.now = start;
      const [early, late] = [await proofFor(path), await proofFor(path)];
      app.clock.now = start + 10 * minuteLength - 1;
      expect((await send(path, early)).status).toBe(302);
      app.clock.now = start + 10 * minuteLength;
      expect((await send(path, late)).status).toBe(403);
    });

    test('accepts no challenge that was made easier, longer-lived or for another link, and no invalid solution', async () => {
      const [path, other] = [await createLink(), await createLink()];
      const { challenge, solution } = await proofFor(path);
      const { parameters } = challenge;
      const otherParameters = challengeOn(await app.visit(other)).parameters;
      const alter = (changes: object): Challenge => ({
        ...challenge,
        parameters: { ...parameters, ...changes },
      });
      const easier = await Promise.all(
        [{ cost: 1 }, { keyPrefix: '0' }, { algorithm: 'PBKDF2/SHA-512' }, { keyLength: 16 }].map((changes) =>
          solve(alter(changes)),
        ),
      );
      const forged: unknown[] = [
        ...easier,
        { challenge: alter({ expiresAt: (parameters.expiresAt ?? 0) + 600 }), solution },
        { challenge: alter({ nonce: otherParameters.nonce }), solution },
        { challenge: alter({ salt: otherParameters.salt }), solution },
        { challenge: alter({ more: 1 }), solution },
        { challenge: { parameters }, solution },
        { challenge: { ...challenge, signature: '' }, solution },
        { challenge: { ...challenge, signature: 'f'.repeat(64) }, solution },
        { challenge, solution: { ...solution, counter: solution.counter + 1 } },
        { challenge, solution: { ...solution, counter: -1 } },
        { challenge, solution: { ...solution, counter: 2 ** 32 + solution.counter } },
        { challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } },
        { challenge, solution: { ...solution, derivedKey: '' } },
        { challenge },
        { solution },
      ];
      for (const [index, proof] of forged.entries())
        expect([index, (await send(path, proof)).status]).toEqual([index, 403]);
      const otherProof = await proofFor(other);
      const relabelled = {
        ...otherProof,
        challenge: {
          ...otherProof.challenge,
          parameters: { ...otherProof.challenge.parameters, data: parameters.data },
        },
      };
      expect((await send(path, relabelled)).status).toBe(403);
      expect((await send(path, { challenge, solution })).status).toBe(302);
    });

    test('refuses garbage without an internal error', async () => {
      const path = await createLink();
      const deep = `${'{"parameters":'.repeat(700)}1${'}'.repeat(700)}`;
      const garbage = [
        '',
        'x',
        '%%%',
        'null',
        btoa('null'),
        btoa('[]'),
        btoa('{}'),
        btoa('1'),
        btoa('{"challenge":null}'),
        btoa(deep),
        btoa(`{"challenge":${deep},"solution":{"counter":1,"derivedKey":""}}`),
        'A'.repeat(15_000),
      ];
      for (const altcha of garbage)
        expect([altcha.slice(0, 30), (await send(path, altcha)).status]).toEqual([altcha.slice(0, 30), 403]);
      const withoutForm = await app.visit(path, {}, { method: 'POST', body: new URLSearchParams() });
      expect(withoutForm.status).toBe(403);
    });

    test('admits a visitor whose browser takes no cookies, by what the page of the captcha sends along', async () => {
      const path = await createLink({ password: 'open sesame' });
      const post = (fields: Record<string, string>) =>
        app.visit(path, {}, { method: 'POST', body: new URLSearchParams(fields) });
      const passOn = (page: TestResponse) => /name="pass" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const page = await post({ password: 'open sesame' });
      expect([page.status, passOn(page)]).toEqual([200, expect.stringMatching(/^\d{13}\..{43}$/)]);
      const again = await post({ altcha: 'x', pass: passOn(page) });
      expect(again.status).toBe(403);
      const altcha = btoa(JSON.stringify(await solve(challengeOn(again))));
      const forged = await post({
        altcha,
        pass: passOn(again).replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
      });
      expect(forged.text).toContain('type="password"');
      const admitted = await post({ altcha, pass: passOn(again) });
      expect([admitted.status, admitted.headers.get('location')]).toEqual([302, destination]);
    });

    test('shows no error to visitors who send the form of its password again, or its captcha without a pass', async () => {
      const path = await createLink({ password: 'open sesame' });
      const sendPassword = (headers: Record<string, string>) =>
        app.visit(path, headers, { method: 'POST', body: new URLSearchParams({ password: 'open sesame' }) });
      const cookie = ((await sendPassword({})).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const inOtherTab = await sendPassword({ cookie });
      expect([inOtherTab.status, inOtherTab.text.includes('too old or used before')]).toEqual([200, false]);
      const proof = await solve(challengeOn(inOtherTab));
      const withoutPass = await send(path, proof);
      expect([withoutPass.status, withoutPass.text.includes('not the password')]).toEqual([200, false]);
      expect((await send(path, proof, { cookie })).headers.get('location')).toBe(destination);
    });

    test('shows bots no challenge if bot protection is on', async () => {
      const path = await createLink({ bot_protection: true });
      const proof = await proofFor(path);
      const bot = { 'user-agent': 'curl/8.7.1' };
      expect((await app.visit(path, bot)).status).toBe(403);
      const sent = await send(path, proof, bot);
      expect([sent.status, serialized(sent).includes('destination.example')]).toEqual([403, false]);
    });

    test('redirects a phone that solved it to the destination for phones', async () => {
      const path = await createLink({ ios_link_destination: 'https://apps.example/app' });
      const iphone =
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
      const passed = await send(path, await proofFor(path), { 'user-agent': iphone });
      expect(passed.headers.get('location')).toBe('https://apps.example/app');
    });
  });
});

function challengeOn(page: TestResponse): Challenge {
  const attribute = /data-challenge="([^"]+)"/.exec(page.text)?.[1] ?? '';
  return JSON.parse(decoded(attribute));
}

async function solve(challenge: Challenge): Promise<Proof> {
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('no solution');
  return { challenge, solution };
}
