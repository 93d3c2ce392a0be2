import { trimInvisible } from './invisible.ts';

/** Names of tags in one text, separated by commas. A name that contains a comma or a quote is in quotes, doubled inside. */
export const tagList = (names: readonly string[]): string =>
  names.map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(', ');

/** A name in quotes, or what is before the next comma: also if it begins with a quote, as people write `"A" team`. */
const tag = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/g;

export const tagNames = (list: string): string[] =>
  [...list.matchAll(tag)]
    .map(([, quoted, plain = '']) => trimInvisible(quoted?.replaceAll('""', '"') ?? plain))
    .filter((name) => name !== '');
