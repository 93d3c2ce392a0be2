import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatIso, formatStamp, parseInstant } from './instant.ts';

describe('an instant', () => {
  test.each([
    ['2030-01-02', '2030-01-02T00:00:00.000Z'],
    ['2030-01-02T03:04', '2030-01-02T03:04:00.000Z'],
    ['2030-01-02 03:04:05', '2030-01-02T03:04:05.000Z'],
    ['2030-01-02T03:04:05Z', '2030-01-02T03:04:05.000Z'],
    ['2030-01-02t03:04:05z', '2030-01-02T03:04:05.000Z'],
    ['2030-01-02T03:04:05.6', '2030-01-02T03:04:05.600Z'],
    ['2030-01-02T03:04:05.123456789+02:00', '2030-01-02T01:04:05.123Z'],
    ['2030-01-02T03:04:05-0530', '2030-01-02T08:34:05.000Z'],
    ['2030-01-02T03:04:05+02', '2030-01-02T01:04:05.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['1999-12-31', '1999-12-31T00:00:00.000Z'],
  ])('%s is %s', (input, read) => expect(formatIso(parseInstant(input) ?? Number.NaN)).toBe(read));

  test.each([
    '2030-02-30',
    '2029-02-29',
    '2030-13-01',
    '2030-00-01',
    '2030-01-02T24:00',
    '2030-01-02T03:60',
    '2030-1-2',
    '02.01.2030',
    'tomorrow',
    '1900000000',
    '2030-01-02T03:04:05+16:00',
    '2030-01-02T',
    '9999-12-31T23:59:59-12:00',
    '',
  ])('"%s" is not an instant', (input) => expect(parseInstant(input)).toBeNull());

  test('is read back as it was written', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0000-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59Z'),
          noInvalidDate: true,
        }),
        (date) => {
          expect(parseInstant(formatIso(date.getTime()))).toBe(date.getTime());
        },
      ),
    );
  });

  test('of a creation has the format of the interface', () => {
    expect(formatStamp(Date.parse('2024-07-11T13:19:17.999Z'))).toBe('2024-07-11_13-19-17');
  });
});
