import { eachField, type UtmField, utmFields } from '../click-fields.ts';
import { decoded, nameIn } from './forwarding.ts';

/** Changes of a destination's UTM parameters: '' and null remove one, and one that isn't named is kept. */
export type UtmChanges = { readonly [Field in UtmField]?: string | null | undefined };

export const hasUtmChanges = (changes: UtmChanges): boolean =>
  utmFields.some((field) => changes[field] !== undefined);

/** The UTM parameters of a destination; '' if it has none. The first one counts if a name is repeated. */
export function utmOf(destination: string): Record<UtmField, string> {
  const parameters = partsOf(destination).query.split('&');
  return eachField(utmFields, (field) => {
    const found = parameters.find((parameter) => nameIn(parameter) === field);
    return found === undefined ? '' : decoded(found.slice(found.indexOf('=') + 1 || found.length));
  });
}

/**
 * A destination with other UTM parameters. Everything else stays as it was written, and an existing parameter keeps its position.
 */
export function withUtm(destination: string, changes: UtmChanges): string {
  const { base, query, fragment } = partsOf(destination);
  const before = query === '' ? [] : query.split('&');
  const pending = new Map<string, string>();
  for (const field of utmFields) {
    const value = changes[field];
    if (value !== undefined)
      pending.set(field, value ? `${field}=${encodeURIComponent(value.toWellFormed())}` : '');
  }
  const after: string[] = [];
  for (const parameter of before) {
    const name = nameIn(parameter);
    const written = pending.get(name);
    if (written === undefined) after.push(parameter);
    else if (written !== '') after.push(written);
    // Others of the same name are removed.
    if (written !== undefined) pending.set(name, '');
  }
  after.push(...[...pending.values()].filter((written) => written !== ''));
  const isEmptied = after.length === 0 && before.length > 0;
  const questionMark =
    after.length > 0 || (!isEmptied && destination.slice(base.length).startsWith('?')) ? '?' : '';
  return `${base}${questionMark}${after.join('&')}${fragment}`;
}

function partsOf(destination: string) {
  const hash = destination.indexOf('#');
  const whole = hash < 0 ? destination : destination.slice(0, hash);
  const queryStart = whole.indexOf('?');
  return {
    base: queryStart < 0 ? whole : whole.slice(0, queryStart),
    query: queryStart < 0 ? '' : whole.slice(queryStart + 1),
    fragment: hash < 0 ? '' : destination.slice(hash),
  };
}
