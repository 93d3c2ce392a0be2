import type { LinkRows } from './hit-chunk.ts';

/**
 * Which rows of a chunk belong to which link, on PostgreSQL: 64 consecutive links are one row of the database, keyed by the last
 * of them. Its cells are varints: the first row of the group, then for each link the difference of its id from the previous one,
 * and the number of its rows.
 */
export const linksInGroup = 64;
const maxVarint = 8;

interface LinkGroup {
  readonly lastLink: number;
  readonly cells: Uint8Array;
}

/** `links` must be sorted. */
export function groupsOf(links: readonly LinkRows[]): LinkGroup[] {
  const groups: LinkGroup[] = [];
  for (let from = 0; from < links.length; from += linksInGroup) {
    const some = links.slice(from, from + linksInGroup);
    groups.push({ lastLink: some.at(-1)?.link ?? 0, cells: cellsOf(some) });
  }
  return groups;
}

/** The rows of a link in the group that its id falls into; null if it has none. */
export function rowsIn(cells: Uint8Array, link: number): Omit<LinkRows, 'link'> | null {
  let at = 0;
  const next = (): number => {
    for (let number = 0, scale = 1; ; scale *= 128) {
      const byte = cells[at++] ?? 0;
      number += (byte % 128) * scale;
      if (byte < 128) return number;
    }
  };
  let first = next();
  for (let current = 0; at < cells.length; ) {
    current += next();
    const end = first + next();
    if (current === link) return { first, end };
    if (current > link) return null;
    first = end;
  }
  return null;
}

function cellsOf(links: readonly LinkRows[]): Uint8Array {
  const bytes = new Uint8Array((1 + links.length * 2) * maxVarint);
  let length = 0;
  const write = (number: number) => {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) + 128;
    bytes[length++] = rest;
  };
  write(links[0]?.first ?? 0);
  let previousLink = 0;
  for (const { link, first, end } of links) {
    write(link - previousLink);
    write(end - first);
    previousLink = link;
  }
  return bytes.slice(0, length);
}
