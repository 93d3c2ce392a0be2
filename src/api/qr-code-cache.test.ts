import { expect, test } from 'bun:test';
import { QrCodeCache } from './qr-code-cache.ts';

function countedDraws() {
  const drawn: string[] = [];
  const draw = (svg: string) => () => {
    drawn.push(svg);
    return svg;
  };
  return { drawn, draw };
}

test('a code is cached when it is drawn for the second time', () => {
  const cache = new QrCodeCache(1_000);
  const { drawn, draw } = countedDraws();
  for (let call = 1; call <= 4; call++) expect(cache.svg(1, 'black a', draw('a'))).toBe('a');
  expect(drawn).toEqual(['a', 'a']);
});

test('links that are read once take no place of those that are read again', () => {
  const cache = new QrCodeCache(100);
  const { drawn, draw } = countedDraws();
  for (let call = 1; call <= 2; call++) cache.svg(1, 'black a', draw('a'));
  for (let id = 2; id <= 1_000; id++) cache.svg(id, `black ${id}`, draw('other'));
  expect(drawn.length).toBe(1_001);
  cache.svg(1, 'black a', draw('a'));
  expect(drawn.length).toBe(1_001);
});

test('another colour of the same link is another code', () => {
  const cache = new QrCodeCache(1_000);
  for (let call = 1; call <= 3; call++) cache.svg(1, 'black a', () => 'black');
  expect(cache.svg(1, 'red a', () => 'red')).toBe('red');
});
