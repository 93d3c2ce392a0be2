import { z } from 'zod';
import { label, stamp } from './parts.ts';

export const Organization = z
  .object({
    id: z.int(),
    created_at: stamp,
    name: z.string(),
    qr_code_marker: z.boolean().meta({ description: 'What new links start with; see the Link.' }),
    runs_instance: z.boolean().meta({
      description: 'Whether its administrators may read how the service is: that of the first account.',
    }),
  })
  .meta({ id: 'Organization' });

export const OrganizationUpdate = z.strictObject({
  name: label(200).optional(),
  qr_code_marker: z.boolean().optional(),
});
