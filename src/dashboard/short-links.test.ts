import { expect, test } from 'bun:test';
import { hostOf, namesOfHosts, readableAddress, searchedText } from './short-links.ts';

test('a domain is written as its owner writes it, with its port, without its scheme', () => {
  namesOfHosts.value = new Map([['xn--bcher-kva.example', 'bücher.example']]);
  const hosts = [
    'https://xn--bcher-kva.example',
    'http://xn--bcher-kva.example:3000',
    'https://links.example.com',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://[::1]',
  ].map((domain) => hostOf({ domain }));
  expect(hosts).toEqual([
    'bücher.example',
    'bücher.example:3000',
    'links.example.com',
    '127.0.0.1:3000',
    '[::1]:3000',
    '[::1]',
  ]);
});

test('an address is written as people write it', () => {
  namesOfHosts.value = new Map([['xn--bcher-kva.example', 'bücher.example']]);
  const addresses = [
    'https://xn--bcher-kva.example/gr%C3%BC%C3%9Fe',
    'http://xn--bcher-kva.example:3000/a/b',
    'https://links.example.com/100%25%FF',
    'typed',
  ].map(readableAddress);
  expect(addresses).toEqual([
    'bücher.example/grüße',
    'bücher.example:3000/a/b',
    'links.example.com/100%25%FF',
    'typed',
  ]);
});

test('a pasted short link is searched by its suffix, any other text as a whole', () => {
  namesOfHosts.value = new Map([['xn--bcher-kva.example', 'bücher.example']]);
  const searched = [
    'http://127.0.0.1:3000/Spring',
    '127.0.0.1:3000/a/b/?qr',
    'https://XN--bcher-kva.example/gr%C3%BC%C3%9Fe',
    ' bücher.example/x ',
    'https://example.com/Spring',
    'bücher.example/',
    'two words/x',
    '/Spring',
  ].map((text) => searchedText(text, '127.0.0.1:3000'));
  expect(searched).toEqual([
    'Spring',
    'a/b',
    'grüße',
    'x',
    'https://example.com/Spring',
    'bücher.example/',
    'two words/x',
    '/Spring',
  ]);
});
