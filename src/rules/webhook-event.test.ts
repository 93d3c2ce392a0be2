import { expect, test } from 'bun:test';
import { readEvents, writeEvents } from './webhook-event.ts';

test('each event is stored once, and events are read back in a fixed order', () => {
  expect(readEvents(writeEvents(['link.deleted', 'click', 'click']))).toEqual(['click', 'link.deleted']);
  expect(readEvents(writeEvents([]))).toEqual([]);
  expect(readEvents('click,made.up')).toEqual(['click']);
});
