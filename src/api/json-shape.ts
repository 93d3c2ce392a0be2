import { Refusal } from '../rules/errors.ts';

const maxDepth = 32;
/**
 * Enough for a thousand links with every field and a hundred tags each. A parsed value takes up to a hundred bytes, however short its
 * text.
 */
const maxValues = 150_000;
/** Within one object: a name costs more than a value, and each unknown name is an error to report. */
const maxFields = 1_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

/** Refuses JSON whose parsing would take many times the memory of its bytes. Checks only its structure. */
export function requireBoundedJson(bytes: Uint8Array): void {
  /** For each open object the number of its commas; null for each open array. */
  const fields: (number | null)[] = [];
  let values = 0;
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    switch (bytes[at]) {
      case quote:
        for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
        break;
      case comma: {
        values++;
        const last = fields.length - 1;
        const count = fields[last];
        if (typeof count === 'number') {
          if (count + 1 >= maxFields)
            throw refusal(`an object with more than ${formatted(maxFields)} fields`);
          fields[last] = count + 1;
        }
        break;
      }
      case openingBrace:
      case openingBracket:
        values++;
        if (fields.length === maxDepth) throw refusal(`lists and objects nested more than ${maxDepth} deep`);
        fields.push(bytes[at] === openingBrace ? 0 : null);
        break;
      case closingBrace:
      case closingBracket:
        fields.pop();
        break;
    }
    if (values > maxValues) throw refusal(`more than ${formatted(maxValues)} values`);
  }
}

const formatted = (count: number): string => count.toLocaleString('en-US');

const refusal = (excess: string): Refusal =>
  new Refusal(
    'BODY_MALFORMED',
    `The body has ${excess}. No call here needs that: check how it is put together.`,
  );
