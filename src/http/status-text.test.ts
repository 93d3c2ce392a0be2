import { expect, test } from 'bun:test';
import { STATUS_CODES } from 'node:http';
import { statusText } from './status-text.ts';

test('reason phrases are the standard ones', () => {
  for (const [status, text] of Object.entries(statusText))
    expect([status, String(text)]).toEqual([status, String(STATUS_CODES[status])]);
});
