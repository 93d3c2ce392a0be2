import { z } from 'zod';
import { isStorable } from '../../rules/text.ts';

/** A text that can be stored and shown: bounded, without control characters. */
export const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine(isStorable, { error: 'Control characters and broken Unicode can not be stored. Take them out.' });

/** A text that must say something. */
export const label = (most: number) =>
  text(most)
    .transform((value) => value.trim())
    .refine((value) => value !== '', { error: 'This can not be empty.', params: { code: 'FIELD_MISSING' } });

/** Whole, positive and safe: as a number or as digits, the way clients send ids. */
export const id = z
  .union([z.number(), z.string().regex(/^[1-9]\d{0,15}$/)])
  .transform(Number)
  .refine((value) => Number.isSafeInteger(value) && value > 0, {
    error: 'An id is a positive whole number.',
  });

export const pathId = z.object({ id: id.meta({ description: 'The id, as the service returned it.' }) });

/** A whole number in a query string. */
export const queryNumber = (least: number, most: number) =>
  z
    .string()
    .refine((value) => /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most, {
      error: `Give a whole number from ${least} to ${most}.`,
    })
    .transform(Number);

export const stamp = z
  .string()
  .meta({ description: 'YYYY-MM-DD_HH-MM-SS, UTC.', examples: ['2030-01-31_09-30-00'] });
