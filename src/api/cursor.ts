import type { Secrets } from '../auth/secrets.ts';
import { invalidField } from '../rules/errors.ts';

const signatureLength = 22;
const form = /^([\w-]+)\.([\w-]{22})$/;

/**
 * Cursors of one list: of one organization, order and filter. A cursor's content is signed together with these, so that made-up
 * cursors and those of other lists are refused.
 */
export class Cursors<Position> {
  readonly #secrets: Secrets;
  readonly #list: string;

  /** `list` is everything that determines the entries and their order. */
  constructor(secrets: Secrets, list: readonly unknown[]) {
    this.#secrets = secrets;
    this.#list = JSON.stringify(list);
  }

  write(position: Position): string {
    const text = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${text}.${this.#signature(text)}`;
  }

  /** The field `next` of an answer. */
  toNext(position: Position | null): { readonly next?: string } {
    return position === null ? {} : { next: this.write(position) };
  }

  /** Refuses a cursor that this list has not issued. */
  read(cursor: string | undefined, field = 'cursor'): Position | undefined {
    if (cursor === undefined) return undefined;
    const [, text = '', signature = ''] = form.exec(cursor) ?? [];
    if (!this.#secrets.verify('cursor', this.#signed(text), signature)) {
      throw invalidField(
        field,
        `"${field}" is not from this list. Give "next" of the page before as it is, with the same filters and order, or begin again without it.`,
      );
    }
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  }

  #signature(text: string): string {
    return this.#secrets.sign('cursor', this.#signed(text), signatureLength);
  }

  #signed(text: string): string {
    return `${text} ${this.#list}`;
  }
}

/** A cursor defines the start of a page, so no other start may be given with it. */
export function refuseBoth(query: {
  readonly cursor?: string | undefined;
  readonly offset?: number | undefined;
  readonly before?: unknown;
}): void {
  if (query.cursor === undefined) return;
  const other = query.offset ? 'offset' : query.before === undefined ? undefined : 'before';
  if (other === undefined) return;
  throw invalidField(other, `Give "cursor" or "${other}", not both.`);
}
