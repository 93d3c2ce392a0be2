import { z } from 'zod';
import { label, stamp } from './parts.ts';

export const Organization = z
  .object({
    id: z.int(),
    created_at: stamp,
    name: z.string(),
    qr_code_marker: z.boolean().meta({ description: 'What new links start with; see the Link.' }),
  })
  .meta({ id: 'Organization' });

export const OrganizationUpdate = z.strictObject({
  name: label(200).optional(),
  qr_code_marker: z.boolean().optional(),
});
