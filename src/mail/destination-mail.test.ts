import { expect, test } from 'bun:test';
import { destinationMail } from './destination-mail.ts';

test('the subject of a mail about very many links has a readable number, as its text', () => {
  const { subject, text } = destinationMail({
    to: 'owner@example.com',
    organization: 'Large',
    links: [],
    total: 12_345,
    origin: 'https://links.example.com',
  });
  expect(subject).toBe('12,345 links lead to failing destinations');
  expect(text).toContain('12,345 links of yours lead');
});
