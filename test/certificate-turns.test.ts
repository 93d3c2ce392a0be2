import { beforeEach, describe, expect, test } from 'bun:test';
import { claimDueCertificates, requestCertificate, updateCertificate } from '../src/storage/certificates.ts';
import { storeKinds } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';

const now = 1_000_000;
const claim = { now, until: now + 1_000, max: 16, maxPerOrganization: 8 };

describe.each(storeKinds)('due certificates (%s)', (store) => {
  const app = appForSuite({ store });
  beforeEach(() =>
    app.app.context.database.write(async (queries) => {
      await queries.deleteFrom('certificates').execute();
      await queries.deleteFrom('domains').execute();
    }),
  );

  const requestNames = (organization: number, names: readonly string[], at: number) =>
    app.app.context.database.write(async (queries) => {
      await queries
        .insertInto('organizations')
        .values({ id: organization, name: 'Any', created_at: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      for (const host of names) {
        await queries
          .insertInto('domains')
          .values({ organization_id: organization, host, proof: '', created_at: 0, verified_at: 1 })
          .execute();
        await requestCertificate(queries, host, at);
      }
    });
  const namesOf = (ending: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${String(index).padStart(2, '0')}.${ending}`);
  const claimed = async (changes: Partial<typeof claim> = {}) => {
    const rows = await app.app.context.database.write((queries) =>
      claimDueCertificates(queries, { ...claim, ...changes }),
    );
    return rows.map(({ host }) => host).sort();
  };

  test('an organization with many names leaves slots for those of others', async () => {
    await requestNames(101, namesOf('many.example.com', 40), now - 1_000);
    await requestNames(102, ['go.example.org'], now);
    expect(await claimed()).toEqual(
      [...namesOf('many.example.com', 40).slice(0, 8), 'go.example.org'].sort(),
    );
    // Its share stays used until its orders end.
    expect(await claimed()).toEqual([]);
    await requestNames(103, namesOf('other.example.net', 2), now);
    expect(await claimed()).toEqual(namesOf('other.example.net', 2));
    await app.app.context.database.write((queries) =>
      updateCertificate(queries, '00.many.example.com', { next_at: now + 1, claimed_until: null }),
    );
    expect(await claimed()).toHaveLength(1);
  });

  test('organizations take turns, those with the fewest claimed names first', async () => {
    await requestNames(101, namesOf('first.example.com', 4), now - 2_000);
    expect(await claimed({ max: 2 })).toEqual(['00.first.example.com', '01.first.example.com']);
    await requestNames(102, namesOf('second.example.com', 4), now - 1_000);
    expect(await claimed({ max: 2 })).toEqual(['00.second.example.com', '01.second.example.com']);
    expect(await claimed({ max: 2 })).toEqual(['02.first.example.com', '02.second.example.com']);
  });

  test('names that several nodes claim at the same time are claimed once', async () => {
    const names = namesOf('many.example.com', 6);
    await requestNames(101, names, now);
    const claims = await Promise.all([claimed(), claimed(), claimed()]);
    expect(claims.flat().sort()).toEqual(names);
  });

  test('names that are no longer verified are claimed as well', async () => {
    await app.app.context.database.write((queries) => requestCertificate(queries, 'gone.example.com', now));
    expect(await claimed()).toEqual(['gone.example.com']);
  });
});
