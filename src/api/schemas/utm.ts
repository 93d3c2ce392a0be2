import { z } from 'zod';
import { eachField, utmFields } from '../../rules/click-fields.ts';
import { component, isoInstant, label, text, textOrNull } from './parts.ts';

export const UtmTemplate = component('UtmTemplate', {
  id: z.int(),
  organization_id: z.int(),
  name: z.string(),
  ...eachField(utmFields, () => textOrNull),
  created_at: isoInstant,
  updated_at: isoInstant,
});

const values = eachField(utmFields, () =>
  text(255).nullish().describe('`null` or `""`: not in the template.'),
);
const name = label(100);

export const TemplateToCreate = z.strictObject({ name, ...values });
export const TemplateUpdate = z.strictObject({ name: name.optional(), ...values });

export const UtmValues = component(
  'UtmValues',
  eachField(utmFields, () => z.array(z.string())),
);
