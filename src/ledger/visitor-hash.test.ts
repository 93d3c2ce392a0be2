import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { dayOf } from '../rules/utc-time.ts';
import { DailySalts, type SaltStore, visitorHash } from './visitor-hash.ts';

const noon = Date.UTC(2026, 5, 1, 12);
const day = dayOf(noon);
const visit = { at: noon, organizationId: 3, address: '198.51.100.7', userAgent: 'firefox' };

/** Like storage: one salt a day for all nodes, the first one given. */
class SaltsInMemory implements SaltStore {
  readonly kept = new Map<number, Uint8Array>();

  async settle(of: number, fresh: Uint8Array): Promise<Uint8Array> {
    const standing = this.kept.get(of) ?? fresh;
    this.kept.set(of, standing);
    return standing;
  }

  async forgetBefore(first: number): Promise<void> {
    for (const of of this.kept.keys()) if (of < first) this.kept.delete(of);
  }
}

let drawn = 0;
const bytes = (count: number) => new Uint8Array(count).fill(++drawn);

async function saltsFor(store: SaltStore, ...days: number[]): Promise<DailySalts> {
  const salts = new DailySalts(store, bytes);
  for (const of of days) await salts.prepare(of);
  return salts;
}

describe('a visitor', () => {
  test('is an HMAC-SHA256 of organization, address and user agent under the salt of the day', async () => {
    const store = new SaltsInMemory();
    const salts = await saltsFor(store, day);
    const oracle = createHmac('sha256', store.kept.get(day) ?? '')
      .update('3\n198.51.100.7\nfirefox')
      .digest('hex');
    expect(visitorHash(salts, visit)).toBe(
      Number.parseInt(oracle.slice(0, 5), 16) * 2 ** 32 + Number.parseInt(oracle.slice(8, 16), 16),
    );
  });

  test('is the same all day and different the next', async () => {
    const salts = await saltsFor(new SaltsInMemory(), day, day + 1);
    const at = (instant: number) => visitorHash(salts, { ...visit, at: instant });
    expect(at(noon)).not.toBeNull();
    expect(at(Date.UTC(2026, 5, 1))).toBe(at(noon));
    expect(at(Date.UTC(2026, 5, 2) - 1)).toBe(at(noon));
    expect(at(Date.UTC(2026, 5, 2))).not.toBe(at(noon));
  });

  test('differs by organization, by address and by user agent', async () => {
    const salts = await saltsFor(new SaltsInMemory(), day);
    const of = (address: string, userAgent: string, organizationId = 3) =>
      visitorHash(salts, { at: noon, organizationId, address, userAgent });
    expect(
      new Set([
        of('10.0.0.1', 'a'),
        of('10.0.0.2', 'a'),
        of('10.0.0.1', 'b'),
        of('10.0.0.11', ''),
        of('10.0.0.1', '1'),
        of('10.0.0.1', 'a', 4),
        of('0.0.0.1', 'a', 31),
      ]).size,
    ).toBe(7);
  });

  test('fits into a database integer and a JavaScript number', async () => {
    const salts = await saltsFor(new SaltsInMemory(), day);
    const visitors = Array.from(
      { length: 20_000 },
      (_, index) => visitorHash(salts, { ...visit, address: `10.0.${index}` }) ?? -1,
    );
    expect(visitors.every((visitor) => Number.isSafeInteger(visitor) && visitor >= 0)).toBe(true);
    expect(new Set(visitors).size).toBe(visitors.length);
    expect(Math.max(...visitors)).toBeGreaterThan(2 ** 51);
  });
});

describe('the salt of a day', () => {
  test('is the same on every node and after a restart', async () => {
    const store = new SaltsInMemory();
    const here = await saltsFor(store, day);
    const there = await saltsFor(store, day);
    const visitor = visitorHash(here, visit);
    expect(visitor).not.toBeNull();
    expect(visitorHash(there, visit)).toBe(visitor);
  });

  test('once destroyed is not replaced: its day gets no other', async () => {
    const store = new SaltsInMemory();
    const salts = await saltsFor(store, day - 1, day);
    await salts.forgetBefore(day);
    await salts.prepare(day - 1);
    expect([...store.kept.keys()]).toEqual([day]);
    expect(visitorHash(salts, { ...visit, at: noon - 86_400_000 })).toBeNull();
    expect(visitorHash(salts, visit)).not.toBeNull();
  });

  test('that is forgotten while it is fetched stays forgotten', async () => {
    const store = new SaltsInMemory();
    const salts = new DailySalts(store, bytes);
    const fetching = salts.prepare(day - 1);
    await salts.forgetBefore(day);
    await fetching;
    expect(salts.get(day - 1)).toBeNull();
  });

  test('must be prepared: without it a hit has no visitor', async () => {
    expect(visitorHash(await saltsFor(new SaltsInMemory()), visit)).toBeNull();
  });
});
