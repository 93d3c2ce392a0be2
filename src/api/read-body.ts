import type { z } from 'zod';
import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { readJson } from './body.ts';
import { type BodyLease, smallBodyBytes } from './body-memory.ts';
import { requireInput } from './read-input.ts';

interface BodyRules {
  readonly bodyIsOptional?: boolean;
  readonly maxBodyBytes?: number;
  readonly body: z.ZodType;
  /** Fields of answers that may be sent back, and are ignored. */
  readonly ignoredFields: readonly string[];
}

/** The body as it was sent, and after parsing. */
export async function readBody(
  rules: BodyRules | undefined,
  request: Request,
  lease: BodyLease,
  caller: Caller | null,
): Promise<{ readonly sent: unknown; readonly body: unknown }> {
  if (!rules) return { sent: undefined, body: undefined };
  const { body, bodyIsOptional, maxBodyBytes = smallBodyBytes, ignoredFields } = rules;
  const value = await readJson(request, maxBodyBytes, lease);
  // Many clients can't send an empty body: with a credential an empty object counts as none.
  if (bodyIsOptional && caller !== null && isEmpty(value)) return { sent: value, body: undefined };
  if (value === undefined) {
    if (bodyIsOptional) return { sent: value, body: undefined };
    throw new Refusal('BODY_MISSING', 'This call needs a JSON object as its body.');
  }
  const ignored = ignoredFields.filter((name) => isIn(value, name));
  return { sent: value, body: requireInput(body, without(value, ignoredFields), { ignored }) };
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const isIn = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name);

export function without(value: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const keys = Object.keys(value);
  if (!keys.some((key) => fields.includes(key))) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
}
