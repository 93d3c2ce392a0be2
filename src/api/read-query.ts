import type { z } from 'zod';
import { type Problem, Refusal, refusalOfAll } from '../rules/errors.ts';
import { suggestedName } from './field-names.ts';
import { fieldsOf, readInput } from './read-input.ts';
import { truncated } from './truncate.ts';

/**
 * Reads the query of a call. Unknown parameters are refused, because they were sent for a purpose: a pager that relies on `page`
 * would get the first page for ever. Names that begin with `_` are ignored: clients send them to bypass caches.
 */
export function readQuery(
  url: string,
  schema: z.ZodObject | undefined,
  body: z.ZodType | undefined,
): unknown {
  const start = url.indexOf('?');
  if (start < 0 && schema === undefined) return undefined;
  const known = fieldsOf(schema);
  const query: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const [name, value] of start < 0 ? [] : new URLSearchParams(url.slice(start + 1))) {
    if (name === '' || name.startsWith('_')) continue;
    if (!known.includes(name)) problems.push(unknownParameter(name, known, fieldsOf(body)));
    else if (Object.hasOwn(query, name)) problems.push(sentTwice(name));
    else query[name] = value;
  }
  const read = schema && readInput(schema, query);
  if (read instanceof Refusal) problems.push(...read.problems);
  if (problems.length > 0) throw refusalOfAll(problems);
  return read;
}

function unknownParameter(name: string, known: readonly string[], fields: readonly string[]): Problem {
  return { code: 'FIELD_UNKNOWN', field: name, sentence: sentenceOn(name, known, fields) };
}

function sentenceOn(sent: string, known: readonly string[], fields: readonly string[]): string {
  const name = JSON.stringify(truncated(sent));
  if (fields.includes(sent)) return `Send ${name} in the JSON body, not in the address.`;
  if (sent === 'disable_png')
    return `${name} counts where links are made: POST /api/v1/link and POST /api/v1/link/bulk.`;
  if (/^(?:api[-_]?key|access[-_]?token|token|key)$/i.test(sent))
    return `A credential does not belong into an address: send the header "api-key: <key>" or "Authorization: Bearer <token>".`;
  if (known.length === 0) return `There is no query parameter ${name} here: this call has none.`;
  const meant = suggestedName(sent, known);
  if (meant === 'offset' && /page/i.test(sent))
    return `There is no query parameter ${name} here. "limit" says how many to return and "offset" how many to skip: the third page of 10 is limit=10&offset=20.${known.includes('cursor') ? ' Or send "next" of each page as "cursor" for the one behind it.' : ''}`;
  return meant === null
    ? `There is no query parameter ${name} here. This call takes ${known.join(', ')}.`
    : `There is no query parameter ${name} here. Did you mean "${meant}"?`;
}

const sentTwice = (name: string): Problem => ({
  code: 'FIELD_INVALID',
  field: name,
  sentence: `"${name}" was sent more than once. Send it once; several ids are separated by commas.`,
});
