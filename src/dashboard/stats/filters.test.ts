import { expect, test } from 'bun:test';
import { queryWith } from '../query-string.ts';
import { filtersIn, selectsOtherHits, toggled, without } from './filters.ts';
import { nameOf } from './value-names.ts';

test('filters are in the URL, including the one for hits without a value', () => {
  expect(filtersIn('?country=DE&referrer=&range=7d&view=live')).toEqual({ country: 'DE', referrer: '' });
  expect(queryWith('?range=7d', { referrer: '', country: 'DE' })).toBe('?range=7d&referrer=&country=DE');
  expect(queryWith('?country=DE', { country: null })).toBe('');
  expect(filtersIn(`?referrer=${'x'.repeat(301)}`)).toEqual({});
});

test('clicking a filter again removes it, and kind and reason replace each other', () => {
  expect(toggled({}, 'country', 'DE')).toEqual({ country: 'DE' });
  expect(toggled({ country: 'DE' }, 'country', 'DE')).toEqual({ country: null });
  expect(toggled({ referrer: '' }, 'referrer', '')).toEqual({ referrer: null });
  expect(toggled({ class: 'bot' }, 'reason', 'monitor')).toEqual({ reason: 'monitor', class: null });
  expect(without({ class: 'bot', country: 'DE' }, 'class', 'reason')).toEqual({ country: 'DE' });
});

test('a filter for something other than clicks shows hits', () => {
  expect([{}, { class: 'click' }, { class: 'human' }, { country: 'DE' }].map(selectsOtherHits)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([{ class: 'bot' }, { reason: 'monitor' }].map(selectsOtherHits)).toEqual([true, true]);
});

test('values have names, and unknown codes stay unchanged', () => {
  expect(nameOf('country', 'DE')).toBe('Germany');
  expect(nameOf('country', 'XX')).toBe('Unknown country');
  expect(nameOf('country', '<b>')).toBe('<b>');
  expect(nameOf('language', 'pt')).toBe('Portuguese');
  expect(nameOf('referrer', null)).toBe('No referrer');
  expect(nameOf('os', 'constructor')).toBe('constructor');
  expect(nameOf('device', 'constructor')).toBe('constructor');
});
