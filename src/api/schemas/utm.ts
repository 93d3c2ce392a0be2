import { z } from 'zod';
import { eachField, utmFields } from '../../rules/click-fields.ts';
import { isoInstant, label, text } from './parts.ts';

export const UtmTemplate = z
  .object({
    id: z.int(),
    organization_id: z.int(),
    name: z.string(),
    ...eachField(utmFields, () => z.string().nullable()),
    created_at: isoInstant,
    updated_at: isoInstant,
  })
  .meta({ id: 'UtmTemplate' });

const values = eachField(utmFields, () =>
  text(255).nullish().describe('`null` or `""`: not in the template.'),
);
const name = label(100);

export const TemplateToCreate = z.strictObject({ name, ...values });
export const TemplateUpdate = z.strictObject({ name: name.optional(), ...values });

export const UtmValues = z.object(eachField(utmFields, () => z.array(z.string()))).meta({ id: 'UtmValues' });
