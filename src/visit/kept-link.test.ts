import { expect, test } from 'bun:test';
import type { LinkForVisitor } from '../rules/resolve.ts';
import { kept, roomOf } from './kept-link.ts';

const usual: LinkForVisitor = {
  id: 7,
  organizationId: 3,
  destinationUrl: 'https://example.com/',
  androidUrl: null,
  iosUrl: null,
  ogTitle: null,
  ogDescription: null,
  ogImage: null,
  expiresAt: null,
  passwordHash: null,
  captcha: false,
  botProtection: false,
  isPlain: true,
};
const valuesOf = (link: LinkForVisitor) =>
  Object.keys(usual).map((name) => [name, link[name as keyof LinkForVisitor]]);

test('a usual link says the same in less room', () => {
  const link = kept(usual);
  expect(valuesOf(link)).toEqual(Object.entries(usual));
  expect(roomOf(link)).toBeLessThan(roomOf(usual));
});

test.each<Partial<LinkForVisitor>>([
  { androidUrl: 'https://example.com/android' },
  { iosUrl: 'https://example.com/ios' },
  { ogTitle: '' },
  { ogDescription: 'More' },
  { ogImage: 'https://example.com/image.png' },
  { expiresAt: 0 },
  { passwordHash: 'hash' },
  { captcha: true },
  { botProtection: true },
  { isPlain: false },
])('a link with %j keeps it', (own) => {
  const link = { ...usual, ...own };
  expect(kept(link)).toBe(link);
});
