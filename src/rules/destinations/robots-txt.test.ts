import { describe, expect, test } from 'bun:test';
import { growth } from '../../../test/support/growth.ts';
import { isAllowedByRobots, robotsFor } from './robots-txt.ts';

const allows = (text: string, path: string): boolean =>
  isAllowedByRobots(robotsFor(text, 'Linnet-Watch'), path);

describe('robots.txt', () => {
  test('a comment of many # and a Unicode line break takes time in proportion to its length', () => {
    const comment = (length: number) => `${'#'.repeat(length)}\u2028`;
    expect(growth(comment, (text) => robotsFor(text, 'Linnet-Watch'))).toBeLessThan(4);
    expect(allows(`User-agent: *\nDisallow: /a # \u2028 x`, '/a')).toBe(false);
  });

  test('many lines that name programs take time in proportion to their number', () => {
    const lines = (length: number) => 'user-agent: x\n'.repeat(length / 14);
    expect(growth(lines, (text) => robotsFor(text, 'Linnet-Watch'))).toBeLessThan(4);
  });

  test('endless rules are left out, and not more than some kilobytes of them are kept', () => {
    const endless = `User-agent: *\nDisallow: /${'a'.repeat(500)}\nDisallow: /b`;
    expect(robotsFor(endless, 'Linnet-Watch')).toBe('-/b');
    expect(robotsFor(`User-agent: *\n${'Disallow: /abcdefghi\n'.repeat(5_000)}`, 'x').length).toBeLessThan(
      17_000,
    );
  });

  test('the rules for everyone apply, unless a group names the program', () => {
    const text =
      'User-agent: *\nDisallow: /a\n\nUser-agent: other\nUser-agent: linnet-watch # us\nDisallow: /b\n';
    expect([allows(text, '/a'), allows(text, '/b'), allows(text, '/c')]).toEqual([true, false, true]);
    expect(allows('User-agent: *\nDisallow: /', '/x')).toBe(false);
    expect(allows('User-agent: someone\nDisallow: /', '/x')).toBe(true);
    const others = 'User-agent: linnet-watch\nDisallow: /ours\nUser-agent: other\nDisallow: /theirs';
    expect([allows(others, '/ours'), allows(others, '/theirs')]).toEqual([false, true]);
    expect(allows('User-agent: Linnet-Watch/1.0\nDisallow: /', '/x')).toBe(false);
  });

  test('repeated groups are merged, and an empty rule is ignored', () => {
    const text = 'user-agent: *\r\ndisallow:\r\nuser-agent: *\r\nDisallow: /two\r\n';
    expect([allows(text, '/'), allows(text, '/two')]).toEqual([true, false]);
  });

  test('the longest rule decides, and of two equally long ones the one that allows', () => {
    const text = 'User-agent: *\nDisallow: /shop\nAllow: /shop/open\nDisallow: /same\nAllow: /same';
    expect(allows(text, '/shop/closed')).toBe(false);
    expect(allows(text, '/shop/open/1')).toBe(true);
    expect(allows(text, '/same')).toBe(true);
    expect(allows(`${text}\nAllow: /`, '/shop/closed')).toBe(false);
    expect(allows('User-agent: *\nAllow: /same\nDisallow: /same', '/same')).toBe(true);
  });

  test('wildcards, end anchors and escapes are supported', () => {
    const text =
      'User-agent: *\nDisallow: /*.pdf$\nDisallow: /p*q*r\nDisallow: /ü\nDisallow: /%7euser\nDisallow: /2*2$';
    expect(allows(text, '/a/b.pdf')).toBe(false);
    expect(allows(text, '/a/b.pdf?x')).toBe(true);
    expect(allows(text, '/p1q2r3')).toBe(false);
    expect(allows(text, '/p1r2q3')).toBe(true);
    expect(allows(text, '/%C3%BCber')).toBe(false);
    expect(allows(text, '/~user')).toBe(false);
    expect([allows(text, '/2'), allows(text, '/22')]).toEqual([true, false]);
  });

  test("an invalid or hostile file is parsed quickly and allows what it doesn't forbid", () => {
    expect(allows('<!doctype html><p>Not found', '/')).toBe(true);
    const start = performance.now();
    const stars = `User-agent: *\n${`Disallow: /${'*a'.repeat(5_000)}\n`.repeat(50)}`;
    expect(allows(stars, `/${'a'.repeat(4_000)}`)).toBe(true);
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(allows('User-agent: *\nDisallow: /\ud800%zz', '/%zz')).toBe(true);
  });
});
