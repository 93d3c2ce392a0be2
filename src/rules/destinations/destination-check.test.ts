import { describe, expect, test } from 'bun:test';
import { dayLength, hourLength } from '../durations.ts';
import {
  type CheckOutcome,
  type CheckState,
  initialCheck,
  outcomeOf,
  stateAfterCheck,
} from './destination-check.ts';

const url = 'http://example.com/page';

const unchecked: CheckState = {
  ...{ url, ...initialCheck(url), turn: 1, next_at: 0, problem: null, detail: null, since: null },
  ...{ suspected: null, suspected_at: null, untold: null },
};
const broken: CheckOutcome = { kind: 'problem', problem: 'broken', detail: 'It answered 404.' };
const redirectTo = (address: string, isPermanent = true): CheckOutcome => ({
  ...{ kind: 'redirect', to: address, isPermanent },
});
/** The state after these checks, each at its time. */
const after = (
  checks: readonly (readonly [at: number, outcome: CheckOutcome])[],
  from = unchecked,
): CheckState => checks.reduce((state, [at, outcome]) => stateAfterCheck(state, outcome, at), from);

describe('checking a destination', () => {
  test('reports a problem when it is found a second time, an hour later', () => {
    const once = after([[5, broken]]);
    expect(once).toMatchObject({ problem: null, untold: null, turn: 0, next_at: 5 + hourLength });
    const early = after([[5 + hourLength - 1, broken]], once);
    expect(early).toMatchObject({ problem: null, next_at: 5 + hourLength });
    const twice = after([[5 + hourLength, broken]], early);
    expect(twice).toMatchObject({
      problem: 'broken',
      since: 5,
      untold: 5 + hourLength,
      next_at: 5 + hourLength + dayLength,
    });
    expect(after([[9 + dayLength, broken]], twice)).toMatchObject({
      problem: 'broken',
      since: 5,
      suspected: null,
    });
  });

  test('drops a problem found once if the second check finds none, or another one', () => {
    expect(
      after([
        [0, broken],
        [hourLength, { kind: 'well' }],
        [dayLength, broken],
      ]),
    ).toMatchObject({ problem: null });
    const parked: CheckOutcome = { kind: 'problem', problem: 'parked', detail: 'x' };
    expect(
      after([
        [0, broken],
        [hourLength, parked],
      ]),
    ).toMatchObject({ problem: null, suspected: 'parked' });
  });

  test('clears a problem at the first successful check, but not if the result is unclear', () => {
    const failing = after([
      [0, broken],
      [hourLength, broken],
    ]);
    expect(after([[dayLength, { kind: 'unclear' }]], failing)).toMatchObject({ problem: 'broken' });
    expect(after([[dayLength, { kind: 'well' }]], failing)).toMatchObject({
      problem: null,
      since: null,
      untold: dayLength,
    });
  });

  test("follows redirects before the host's daily checks, and reports only permanent ones", () => {
    const moved = after([[0, redirectTo('https://elsewhere.example/new')]]);
    expect(moved).toMatchObject({ hop: 'https://elsewhere.example/new', host: 'elsewhere.example', turn: 0 });
    expect(after([[1, { kind: 'well' }]], moved)).toMatchObject({ suspected: 'moved', hop: url, hops: 0 });
    expect(after([[1, broken]], moved)).toMatchObject({ suspected: 'broken' });
    const transient = after([
      [0, redirectTo('https://elsewhere.example/new', false)],
      [1, { kind: 'well' }],
    ]);
    expect(transient.suspected).toBeNull();
    const mixed = after([
      [0, redirectTo('https://a.example/', false)],
      [1, redirectTo('https://b.example/')],
      [2, { kind: 'well' }],
    ]);
    expect(mixed.suspected).toBeNull();
  });

  test('reports where a destination has moved since it was reported as moved', () => {
    const moving = (at: number, to: string) => [
      [at, redirectTo(to)] as const,
      [at, { kind: 'well' }] as const,
    ];
    const moved = after([
      ...moving(0, 'https://a.example/'),
      ...moving(hourLength, 'https://a.example/'),
    ] as const);
    const told = { ...moved, untold: null };
    expect(told).toMatchObject({ problem: 'moved', detail: 'https://a.example/', since: 0 });
    expect(after(moving(dayLength, 'https://a.example/'), told)).toMatchObject({ untold: null });
    expect(after(moving(dayLength, 'https://b.example/'), told)).toMatchObject({
      ...{ problem: 'moved', detail: 'https://b.example/', since: 0, untold: dayLength },
    });
  });

  test('reports no redirect that only adds https, www or a trailing slash', () => {
    for (const address of [
      'https://example.com/page',
      'http://www.example.com/page/',
      'https://www.example.com/page',
    ])
      expect(
        after([
          [0, redirectTo(address)],
          [1, { kind: 'well' }],
        ]).suspected,
      ).toBeNull();
  });

  test('ends after too many redirects', () => {
    const endless = Array.from({ length: 6 }, (_, at) => [at, redirectTo(url)] as const);
    expect(after(endless)).toMatchObject({ suspected: 'broken', hops: 0, hop: url });
  });

  test('distinguishes a page that is gone from one that refuses programs', () => {
    const outcomeFor = (status: number, location: string | null = null) =>
      outcomeOf({ status, location }, url, () => false);
    for (const status of [404, 410, 500, 503])
      expect(outcomeFor(status)).toMatchObject({ problem: 'broken' });
    for (const status of [401, 403, 405, 429, 451]) expect(outcomeFor(status)).toEqual({ kind: 'unclear' });
    expect(outcomeFor(200)).toEqual({ kind: 'well' });
    expect(outcomeFor(302, '../x#y')).toEqual({
      kind: 'redirect',
      to: 'http://example.com/x',
      isPermanent: false,
    });
    expect(outcomeFor(308, 'https://x.example')).toMatchObject({
      to: 'https://x.example/',
      isPermanent: true,
    });
    expect(outcomeFor(302, 'myapp://open')).toEqual({ kind: 'unclear' });
    expect(outcomeFor(302)).toMatchObject({ problem: 'broken' });
    expect(outcomeFor(302, `//${'a'.repeat(3_000)}.example`)).toMatchObject({ problem: 'broken' });
    expect(outcomeOf({ status: 200, location: null }, url, () => true)).toMatchObject({ problem: 'parked' });
  });
});
