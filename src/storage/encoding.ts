/** Of a PostgreSQL database. */
export const encodingSql = 'show server_encoding';

/** A PostgreSQL database that can't store every text. */
export class WrongEncoding extends Error {
  override readonly name = 'WrongEncoding';
}

export const isUtf8 = (encoding: string): boolean => encoding === 'UTF8';

export const wrongEncodingFound = (encoding: string): string =>
  `The database is encoded in ${encoding}, not in UTF8: it can not store every text of links and visits.`;

export const wrongEncodingTodo =
  'Create another one with "createdb --encoding=UTF8 --template=template0 NAME", and move what is in this one with `backup` and `restore`.';

/** Throws unless the rows of `encodingSql` say UTF8: later, one visit with an emoji would keep all from being counted. */
export function requireUtf8([row]: readonly { readonly server_encoding?: string }[]): void {
  const encoding = row?.server_encoding ?? '';
  if (!isUtf8(encoding)) throw new WrongEncoding(`${wrongEncodingFound(encoding)} ${wrongEncodingTodo}`);
}
