import { z } from 'zod';
import { component, label, stamp } from './parts.ts';

export const Tag = component('Tag', {
  id: z.int(),
  created_at: stamp,
  organization_id: z.int(),
  name: z.string(),
});

export const CountedTag = Tag.extend({
  links: z.int().describe('The number of links that have it.'),
}).meta({ id: 'CountedTag' });

const name = label(100);

export const TagToCreate = z
  .strictObject({
    name: name.optional(),
    tag: name.optional().meta({ description: 'Another word for `name`.', deprecated: true }),
  })
  .transform((body, context) => {
    const given = body.name ?? body.tag;
    if (given !== undefined) return { name: given };
    context.addIssue({
      code: 'custom',
      path: ['name'],
      params: { code: 'FIELD_MISSING' },
      message: '"name" is needed: the label of the tag.',
    });
    return z.NEVER;
  });

export const TagToRename = z.strictObject({ name });
