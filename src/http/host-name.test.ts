import { expect, test } from 'bun:test';
import { hostName } from './host-name.ts';

test('the name in a Host header is the same however often it is asked for, and in whatever order', () => {
  const headers = [
    '',
    'go.example.com',
    'GO.example.com:8080',
    'a b',
    'go.example.com:99999',
    '[::1]:3000',
    '',
  ];
  const names = [null, 'go.example.com', 'go.example.com', null, null, '[::1]', null];
  for (let round = 0; round < 3; round++) expect(headers.map(hostName)).toEqual(names);
  for (const [index, header] of headers.entries())
    expect([hostName(header), hostName(`${header}`)]).toEqual([names[index] ?? null, names[index] ?? null]);
});
