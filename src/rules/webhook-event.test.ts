import { expect, test } from 'bun:test';
import { readEvents, writeEvents } from './webhook-event.ts';

test('events are stored each once and read back in one order', () => {
  expect(readEvents(writeEvents(['link.deleted', 'click', 'click']))).toEqual(['click', 'link.deleted']);
  expect(readEvents(writeEvents([]))).toEqual([]);
  expect(readEvents('click,made.up')).toEqual(['click']);
});
