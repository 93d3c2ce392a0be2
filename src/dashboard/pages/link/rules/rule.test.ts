import { describe, expect, test } from 'bun:test';
import { devices } from '../../../../rules/click-fields.ts';
import type { RuleFields } from '../../../../rules/link-rules/rule-fields.ts';
import {
  conditionsOf,
  inverted,
  moved,
  newId,
  newVariantId,
  type Rule,
  sharesOf,
  toDestination,
  toVariants,
  withCondition,
} from './rule.ts';
import { choicesOf } from './value-choices.ts';

const rule = (when: Rule['when']): Rule => ({
  id: 'a',
  name: null,
  when,
  destination_url: 'https://a.example',
});

describe('conditions', () => {
  test('are set, excluded and removed, without leaving empty objects', () => {
    const wanted = withCondition({}, { key: 'country', isNegated: false }, ['DE']);
    const both = withCondition(wanted, { key: 'country', isNegated: true }, ['AT']);
    expect(both).toEqual({ country: ['DE'], not: { country: ['AT'] } });
    expect(conditionsOf(both)).toEqual([
      { key: 'country', isNegated: false, value: ['DE'] },
      { key: 'country', isNegated: true, value: ['AT'] },
    ]);
    expect(withCondition(both, { key: 'country', isNegated: true }, undefined)).toEqual({ country: ['DE'] });
  });

  test('switch between required and excluded, or swap places', () => {
    expect(inverted({ country: ['DE'], os: ['iOS'] }, 'country')).toEqual({
      os: ['iOS'],
      not: { country: ['DE'] },
    });
    expect(inverted({ not: { country: ['DE'] } }, 'country')).toEqual({ country: ['DE'] });
    expect(inverted({ country: ['DE'], not: { country: ['AT'] } }, 'country')).toEqual({
      country: ['AT'],
      not: { country: ['DE'] },
    });
  });

  test('are shown for every key', () => {
    const everyCondition = {
      ...{
        country: ['DE'],
        region: ['DE-BY'],
        city: ['Munich'],
        language: ['de'],
        device: devices,
        os: ['iOS'],
        browser: ['Safari'],
      },
      ...{ query: { a: [] }, referrer: [''], network: ['192.0.2.1'], from: '2030-01-01T00:00:00.000Z' },
      ...{ to: '2031-01-01T00:00:00.000Z', hours: { timezone: 'UTC' }, source: ['qr'] },
    } satisfies Required<Omit<RuleFields['when'], 'not'>>;
    expect(conditionsOf({ ...everyCondition, not: everyCondition })).toHaveLength(
      2 * Object.keys(everyCondition).length,
    );
  });
});

describe('rules', () => {
  test('can be moved', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
    expect(moved(['a'], 3, 0)).toEqual(['a']);
  });

  test('can be split into several destinations, and merged back into one', () => {
    const split = toVariants(rule({ country: ['DE'] }));
    expect(split).not.toHaveProperty('destination_url');
    expect(split.variants?.[0]).toEqual({ id: 'a', destination_url: 'https://a.example', weight: 50 });
    expect(toDestination(split)).toEqual(rule({ country: ['DE'] }));
  });

  test('have ids that the API accepts', () => {
    expect(newId([])).toMatch(/^r_[a-z0-9]{5}$/);
    expect(newVariantId([{ id: 'a', destination_url: '', weight: 1 }])).toBe('b');
  });

  test('convert weights to shares, even if all are zero', () => {
    const sharesOfWeights = (...weights: number[]) =>
      sharesOf(weights.map((weight) => ({ id: String(weight), destination_url: '', weight })));
    expect(sharesOfWeights(70, 30)).toEqual([70, 30]);
    expect(sharesOfWeights(1, 1, 1)).toEqual([33.3, 33.3, 33.3]);
    expect(sharesOfWeights(0, 0)).toEqual([0, 0]);
  });
});

describe('the choices', () => {
  test('include current countries by name, the European Union first', () => {
    const countries = choicesOf('country');
    expect(countries[0]).toEqual({ value: 'EU', label: 'European Union', flag: '🇪🇺' });
    expect(countries).toContainEqual({ value: 'DE', label: 'Germany', flag: '🇩🇪' });
    expect(countries.map(({ value }) => value)).not.toContain('DD');
    expect(new Set(countries.map(({ label }) => label)).size).toBe(countries.length);
    expect(countries.length).toBeGreaterThan(240);
    expect(countries.length).toBeLessThan(256);
  });

  test.each(['os', 'browser', 'language'] as const)('contain no %s twice', (key) => {
    const labels = choicesOf(key).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });
});
