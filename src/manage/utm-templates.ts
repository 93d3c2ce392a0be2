import type { Caller } from '../rules/access.ts';
import { eachField, type UtmField, utmFields } from '../rules/click-fields.ts';
import { utmOf } from '../rules/destinations/utm.ts';
import { existing, notFound, Refusal } from '../rules/errors.ts';
import { NotUnique } from '../storage/database.ts';
import { recordOtherChange } from '../storage/marked-changes.ts';
import * as stored from '../storage/utm-templates.ts';
import type { Context } from './context.ts';

export type { StoredTemplate } from '../storage/utm-templates.ts';

type Values = { readonly [Field in UtmField]?: string | null | undefined };

const maxTemplates = 100;
/** How many of the newest links are searched for values in use. */
const linksScanned = 2_000;
const maxValues = 20;

const taken = (name: string): Refusal =>
  new Refusal(
    'TEMPLATE_EXISTS',
    `There is a template named "${name}" already. Change it, or choose another name.`,
    { field: 'name' },
  );

const empty = (): Refusal =>
  new Refusal('FIELD_MISSING', 'A template has at least one of the UTM parameters, such as utm_source.', {
    field: 'utm_source',
  });

const isEmpty = (values: Values): boolean => utmFields.every((field) => !values[field]);

export async function createTemplate(
  { database, now }: Context,
  { organizationId }: Caller,
  { name, ...values }: Values & { readonly name: string },
): Promise<stored.StoredTemplate> {
  if (isEmpty(values)) throw empty();
  const fields = { name, ...eachField(utmFields, (field) => values[field] || null) };
  return database.write(async (queries) => {
    const existing = await stored.listTemplates(queries, organizationId);
    if (existing.length >= maxTemplates)
      throw new Refusal(
        'TOO_MANY_TEMPLATES',
        `An organization has at most ${maxTemplates} templates. Delete one first.`,
      );
    const created = await stored.insertTemplate(queries, organizationId, fields, now());
    if (!created) throw taken(name);
    await recordOtherChange(queries, 'UTM template', created.id, now());
    return created;
  });
}

export const readTemplates = (
  { database }: Context,
  { organizationId }: Caller,
): Promise<stored.StoredTemplate[]> => stored.listTemplates(database.read, organizationId);

export const readTemplate = (
  { database }: Context,
  { organizationId }: Caller,
  id: number,
): Promise<stored.StoredTemplate> =>
  existing(stored.findTemplate(database.read, organizationId, id), 'template');

/** Parameters that aren't named stay; '' and null remove one. */
export async function updateTemplate(
  { database, now }: Context,
  { organizationId }: Caller,
  id: number,
  { name, ...values }: Values & { readonly name?: string | undefined },
): Promise<stored.StoredTemplate> {
  const sent = utmFields.filter((field) => values[field] !== undefined);
  const fields = {
    ...(name !== undefined && { name }),
    ...Object.fromEntries(sent.map((field) => [field, values[field] || null])),
  };
  try {
    return await database.write(async (queries) => {
      const updated = stored.updateTemplate(queries, organizationId, id, fields, now());
      const after = await existing(updated, 'template');
      if (isEmpty(after)) throw empty();
      await recordOtherChange(queries, 'UTM template', id, now());
      return after;
    });
  } catch (cause) {
    throw cause instanceof NotUnique && name !== undefined ? taken(name) : cause;
  }
}

export async function deleteTemplate(
  { database, now }: Context,
  { organizationId }: Caller,
  id: number,
): Promise<void> {
  await database.write(async (queries) => {
    if (!(await stored.deleteTemplate(queries, organizationId, id))) throw notFound('template');
    await recordOtherChange(queries, 'UTM template', id, now());
  });
}

/** The values that the organization's templates and newest links have for each parameter, most frequent first. */
export async function readUtmValues(
  { database }: Context,
  { organizationId }: Caller,
): Promise<Record<UtmField, string[]>> {
  const [templates, destinations] = await Promise.all([
    stored.listTemplates(database.read, organizationId),
    stored.newestDestinations(database.read, organizationId, linksScanned),
  ]);
  const used: Values[] = destinations.filter((text) => text.includes('utm')).map(utmOf);
  return eachField(utmFields, (field) => {
    const counts = new Map<string, number>();
    for (const values of [...templates, ...used]) {
      const value = values[field];
      if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const byFrequency = [...counts].sort(([, one], [, other]) => other - one);
    return byFrequency.slice(0, maxValues).map(([value]) => value);
  });
}
