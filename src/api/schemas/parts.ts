import { z } from 'zod';
import { trimInvisible } from '../../rules/invisible.ts';
import { isStorable } from '../../rules/text.ts';
import { truncated } from '../truncate.ts';

/** A sentence that begins with the name of its field. */
const about =
  (rest: string) =>
  ({ path = [] }: { readonly path?: PropertyKey[] | undefined }): string =>
    `"${String(path.findLast((step) => typeof step === 'string') ?? 'This')}" ${rest}`;

/** An answer, or a part of one, that the OpenAPI document has under a name. */
export const component = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

export const textOrNull = z.string().nullable();
export const intOrNull = z.int().nullable();

/** A text that can be stored and shown: bounded, without control characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine(isStorable, {
      error: about('holds control characters or broken Unicode, which can not be stored. Take them out.'),
    });

/** A text for a form's field, in which browsers allow no line break. */
export const singleLine = (max: number) =>
  text(max).refine((value) => !/[\r\n]/.test(value), { error: about('must be on one line.') });

/** A text that must not be empty, or look so. */
export const label = (max: number) =>
  text(max)
    .transform((value) => trimInvisible(value))
    .refine((value) => value !== '', {
      error: about('can not be empty.'),
      params: { code: 'FIELD_MISSING' },
    });

/** A text as `read` returns it; null refuses it. */
export const readable = <T>(read: (sent: string) => T | null, error: string) =>
  z.string().transform((sent, context) => {
    const found = read(sent);
    if (found !== null) return found;
    // Like a refinement, lets the checks of what it is part of run: all problems are reported at once.
    context.addIssue({ code: 'custom', message: error, continue: true });
    return z.NEVER;
  });

/** A field that null or `""` clears. */
export const clearable = <S extends z.ZodType>(value: S, error: string) =>
  z.union([value, z.literal('')], { error }).nullish();

const idOf = (sentence: (sent: unknown) => string) => {
  const error = ({ input }: { input?: unknown }) => (input === undefined ? undefined : sentence(input));
  const isId = (value: number | string) => Number.isSafeInteger(Number(value)) && Number(value) > 0;
  return z
    .union(
      [
        z.number().refine(isId, { error }),
        z
          .string()
          .regex(/^[1-9]\d{0,15}$/, { error, abort: true })
          .refine(isId, { error }),
      ],
      { error },
    )
    .transform(Number);
};

/** Numbers beyond 2^53 were rounded when the JSON was read. */
const shown = (sent: unknown): string =>
  typeof sent === 'number' && Math.abs(sent) > Number.MAX_SAFE_INTEGER
    ? 'a number beyond 9007199254740991'
    : truncated(JSON.stringify(sent));

/** A positive safe integer, as a number or as a text of digits: clients send ids in both forms. */
export const id = idOf(
  (sent) => `An id is a positive whole number, as lists answer it, and ${shown(sent)} is not.`,
);

export const tagId = idOf(
  (sent) => `Tags are sent by id, and ${shown(sent)} is not one. GET /api/v1/tag lists tags with their ids.`,
);

const linkId = idOf((sent) =>
  /^(?:bulk|bulk_delete|restore|deleted)$/.test(String(sent))
    ? 'Many links are changed by PATCH /api/v1/link/bulk, deleted by POST /api/v1/link/bulk_delete, and restored by POST /api/v1/link/restore.'
    : `A link is found by its id, a whole number, and ${shown(sent)} is not one. GET /api/v1/link?q=${encodeURIComponent(truncated(String(sent)))} finds links by suffix.`,
);

const inPath = { description: 'The id, as the service returned it.' };

export const pathId = z.object({ id: id.meta(inPath) });
export const linkPath = z.object({ id: linkId.meta(inPath) });

const shownNumber = (value: number): string => value.toLocaleString('en');

export const queryNumber = (min: number, max: number) =>
  z
    .string()
    .refine((value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: about(`must be a whole number from ${shownNumber(min)} to ${shownNumber(max)}.`),
    })
    .transform(Number)
    .meta({ type: 'integer', minimum: min, maximum: max });

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** True or false in a query string, in any case: Python writes `True`. */
export const queryFlag = () =>
  z
    .string()
    .refine((value) => flags.has(value.toLowerCase()), { error: about('must be true or false.') })
    .transform((value) => flags.get(value.toLowerCase()) === true)
    .meta({ type: 'boolean' })
    .default(false);

/** The same with a third choice, as texts. */
export const queryFlagOr = <C extends string>(choice: C, error: string) => {
  const choices = ['true', 'false', choice] as const;
  const plain = (value: string) => String(flags.get(value) ?? value);
  return z
    .string()
    .transform((value) => plain(value.toLowerCase()))
    .pipe(z.enum(choices, { error }))
    .meta({ enum: [...choices] });
};

export const stamp = z
  .string()
  .meta({ description: 'YYYY-MM-DD_HH-MM-SS, UTC.', examples: ['2030-01-31_09-30-00'] });

/** The author of a change; null if they are no longer a member. */
export const memberField = z.object({ id: z.int(), name: textOrNull, email: z.string() }).nullable();

/** The API key that a change was made with. */
export const keyField = z
  .object({ id: z.int(), name: z.string() })
  .nullable()
  .describe('Null also for a key that was deleted.');

export const isoInstant = z.string().describe('ISO 8601, UTC.');
