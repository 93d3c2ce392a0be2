import { expect, test } from 'bun:test';
import { growth } from '../../test/support/growth.ts';
import { credentialTypo } from './credential-typos.ts';

test('a long credential takes time in proportion to its length', () => {
  const credential = (length: number) => 'a'.repeat(length);
  expect(growth(credential, (text) => credentialTypo(text))).toBeLessThan(4);
});

test.each(['"lnt_1"', '“lnt_1', "lnt_1'"])('the quotes of %s are named', (credential) => {
  expect(credentialTypo(credential)).toContain('quotes');
});
