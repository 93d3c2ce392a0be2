import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { dayLength } from '../../rules/durations.ts';
import { dayOf } from '../../rules/utc-time.ts';
import { DailySalts, type SaltStore, visitorHash } from './visitor-hash.ts';

const noon = Date.UTC(2026, 5, 1, 12);
const day = dayOf(noon);
const visit = { at: noon, organizationId: 3, address: '198.51.100.7', userAgent: 'firefox' };

/** Like storage: one salt a day for all nodes, the first one given. */
class SaltsInMemory implements SaltStore {
  readonly salts = new Map<number, Uint8Array>();

  async settle(ofDay: number, fresh: Uint8Array): Promise<Uint8Array> {
    const salt = this.salts.get(ofDay) ?? fresh;
    this.salts.set(ofDay, salt);
    return salt;
  }

  async forgetBefore(first: number): Promise<void> {
    for (const ofDay of this.salts.keys()) if (ofDay < first) this.salts.delete(ofDay);
  }
}

let saltsMade = 0;
const bytes = (count: number) => new Uint8Array(count).fill(++saltsMade);

async function saltsFor(store: SaltStore, ...days: number[]): Promise<DailySalts> {
  const salts = new DailySalts(store, bytes);
  for (const ofDay of days) await salts.prepare(ofDay);
  return salts;
}

describe('a visitor', () => {
  test('is an HMAC-SHA256 of organization, address and user agent under the salt of the day', async () => {
    const store = new SaltsInMemory();
    const salts = await saltsFor(store, day);
    const expected = createHmac('sha256', store.salts.get(day) ?? '')
      .update('3\n198.51.100.7\nfirefox')
      .digest('hex');
    expect(visitorHash(salts, visit)).toBe(
      Number.parseInt(expected.slice(0, 5), 16) * 2 ** 32 + Number.parseInt(expected.slice(8, 16), 16),
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
    const hashOf = (address: string, userAgent: string, organizationId = 3) =>
      visitorHash(salts, { at: noon, organizationId, address, userAgent });
    expect(
      new Set([
        hashOf('10.0.0.1', 'a'),
        hashOf('10.0.0.2', 'a'),
        hashOf('10.0.0.1', 'b'),
        hashOf('10.0.0.11', ''),
        hashOf('10.0.0.1', '1'),
        hashOf('10.0.0.1', 'a', 4),
        hashOf('0.0.0.1', 'a', 31),
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
    const firstNode = await saltsFor(store, day);
    const secondNode = await saltsFor(store, day);
    const visitor = visitorHash(firstNode, visit);
    expect(visitor).not.toBeNull();
    expect(visitorHash(secondNode, visit)).toBe(visitor);
  });

  test('is not replaced once it is destroyed', async () => {
    const store = new SaltsInMemory();
    const salts = await saltsFor(store, day - 1, day);
    await salts.forgetBefore(day);
    await salts.prepare(day - 1);
    expect([...store.salts.keys()]).toEqual([day]);
    expect(visitorHash(salts, { ...visit, at: noon - dayLength })).toBeNull();
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
