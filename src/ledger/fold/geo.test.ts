import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { twoNetworkFile } from '../../../test/support/country-file.ts';
import { bundledCountryFile } from '../../bundle/module-urls.ts';
import { countryCode, unknownCountry } from '../../rules/country.ts';
import { unknownPlace } from '../../rules/place.ts';
import { CountryFileError, openCountryFile, openLazily, type PlaceOf, placesKnownIn } from './geo.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'linnet-geo-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: Uint8Array): string {
  const path = join(folder, `${Bun.randomUUIDv7()}.mmdb`);
  writeFileSync(path, content);
  return path;
}

const countriesIn =
  (placeOf: PlaceOf) =>
  (address: string): string =>
    placeOf(address).country;

describe('the bundled file', () => {
  const countryOf = countriesIn(openCountryFile(bundledCountryFile()));

  test('has the countries of public addresses, old and new', () => {
    expect(countryOf('193.99.144.80')).toBe('DE');
    expect(countryOf('200.160.2.3')).toBe('BR');
    expect(countryOf('2a02:2e0:3fe:1001:302::')).toBe('DE');
    expect(countryOf('::ffff:193.99.144.80')).toBe('DE');
  });

  test('has no country for unregistered addresses', () => {
    const unregistered = [
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.1.1',
      '100.64.0.1',
      '0.0.0.0',
    ];
    const unregistered6 = [
      '::1',
      '::',
      'fe80::1',
      'fc00::1',
      'fd12:3456::1',
      '2001:db8::1',
      '::ffff:10.0.0.1',
    ];
    for (const address of [...unregistered, ...unregistered6])
      expect([address, countryOf(address)]).toEqual([address, 'XX']);
  });

  test('has no country for an invalid address', () => {
    for (const text of ['', 'unknown', '1.2.3', '999.1.1.1', '1.2.3.4:80', '[::1]', '::ffff:', '☃']) {
      expect(countryOf(text)).toBe(unknownCountry);
    }
  });
});

describe("the operator's own file", () => {
  test('may have the format of MaxMind, IPinfo or ip-location-db', () => {
    for (const [record, country] of [
      [{ country: { iso_code: 'CH', geoname_id: 1 } }, 'CH'],
      [{ country: 'CH' }, 'CH'],
      [{ country_code: 'ch' }, 'CH'],
      [{ country_code: 'ZZ' }, 'XX'],
      [{ country: 'Switzerland' }, 'XX'],
      [{ city: 'Bern' }, 'XX'],
      ['CH', 'XX'],
    ] as const) {
      const countryOf = countriesIn(openCountryFile(file(twoNetworkFile(record, { country_code: 'SE' }))));
      expect(countryOf('1.2.3.4')).toBe(country);
      expect(countryOf('200.2.3.4')).toBe('SE');
    }
  });

  test('gives regions as codes and cities by their English names, if it has them', () => {
    const munich = {
      country: { iso_code: 'DE' },
      subdivisions: [{ iso_code: 'BY' }],
      city: { names: { de: 'M', en: 'Munich' } },
    };
    for (const [record, region, city] of [
      [munich, 'DE-BY', 'Munich'],
      [{ country: 'US', region: 'California', region_code: 'CA', city: 'San Jose' }, 'US-CA', 'San Jose'],
      [{ country_code: 'GB', region_code: 'GB-ENG' }, 'GB-ENG', ''],
      [
        {
          country: { iso_code: 'DE' },
          subdivisions: [{ names: { en: 'Bavaria' } }],
          city: { names: { en: 'Fürth' } },
        },
        '',
        'Fürth',
      ],
      [{ country_code: 'DE', region_code: 'Bavaria', city: 7 }, '', ''],
      [{ region_code: 'BY' }, '', ''],
      ['DE', '', ''],
    ] as const) {
      const path = file(twoNetworkFile(record, { country_code: 'SE' }));
      expect(openCountryFile(path)('1.2.3.4')).toMatchObject({ region, city });
      expect(openCountryFile(path)('200.2.3.4')).toEqual({ country: 'SE', region: '', city: '' });
      expect(placesKnownIn(path)).toEqual({ regions: region !== '', cities: city !== '' });
    }
    expect(placesKnownIn(bundledCountryFile())).toEqual({ regions: false, cities: false });
  });

  test('for IPv4 has nothing for IPv6', () => {
    const network4 = twoNetworkFile({ country_code: 'CH' }, { country_code: 'SE' });
    const countryOf = countriesIn(openCountryFile(file(network4)));
    expect(countryOf('2a02:2e0::1')).toBe('XX');
    expect(countryOf('::ffff:1.2.3.4')).toBe('CH');
  });

  test('that is missing or broken is refused with its name and a message', () => {
    const complete = readFileSync(bundledCountryFile());
    const broken = [
      Buffer.alloc(0),
      Buffer.from('not a database'),
      complete.subarray(0, 9_000),
      complete.subarray(2_000_000),
    ];
    for (const content of broken) {
      expect(() => openCountryFile(file(content))).toThrow(
        /^The country file .+ is not a whole MaxMind database/,
      );
    }
    expect(() => openCountryFile(join(folder, 'nowhere.mmdb'))).toThrow(/nowhere\.mmdb cannot be read/);
    expect(() => openCountryFile(folder)).toThrow(CountryFileError);
  });
});

describe('a lazily opened file', () => {
  const inSwitzerland = { ...unknownPlace, country: 'CH' };

  test('is opened once, for the first address', () => {
    let opened = 0;
    const placeOf = openLazily(
      () => {
        opened++;
        return () => inSwitzerland;
      },
      () => {},
    );
    const countryOf = countriesIn(placeOf);
    expect(opened).toBe(0);
    expect([countryOf('1.2.3.4'), countryOf('1.2.3.5')]).toEqual(['CH', 'CH']);
    expect(opened).toBe(1);
  });

  test("that can't be opened is reported once, without an exception, and there are no countries", () => {
    const problems: CountryFileError[] = [];
    const placeOf = openLazily(
      () => openCountryFile(join(folder, 'nowhere.mmdb')),
      (problem) => problems.push(problem),
    );
    const countryOf = countriesIn(placeOf);
    expect([countryOf('1.2.3.4'), countryOf('1.2.3.5')]).toEqual(['XX', 'XX']);
    expect(problems.map((problem) => problem.message)).toEqual([
      `The country file ${join(folder, 'nowhere.mmdb')} cannot be read.`,
    ]);
  });

  test('that fails during a lookup is given up in the same way', () => {
    const problems: CountryFileError[] = [];
    const failing = () => (address: string) => {
      if (address === '9.9.9.9') throw new RangeError('out of bounds');
      return inSwitzerland;
    };
    const countryOf = countriesIn(openLazily(failing, (problem) => problems.push(problem)));
    expect(['1.2.3.4', '9.9.9.9', '1.2.3.4'].map(countryOf)).toEqual(['CH', 'XX', 'XX']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toBeInstanceOf(CountryFileError);
  });
});

test('a country code is two letters of an existing country', () => {
  expect(['de', 'DE', 'Ch'].map(countryCode)).toEqual(['DE', 'DE', 'CH']);
  for (const value of ['', 'XX', 'zz', 'T1', 'DEU', 'D', 'ÄÖ', ' DE', 7, null, undefined, ['DE']]) {
    expect(countryCode(value)).toBeNull();
  }
});
