import { z } from 'zod';
import { label, stamp } from './parts.ts';

export const Organization = z
  .object({
    id: z.int(),
    created_at: stamp,
    name: z.string(),
    qr_code_marker: z.boolean().meta({ description: 'What new links start with; see the Link.' }),
    watch_destinations: z.boolean().meta({
      description: 'Whether destinations are looked at daily, of links that do not say otherwise.',
    }),
    can_watch_destinations: z.boolean().meta({
      description: 'False where the instance looks at none (`WATCH_DESTINATIONS=off`).',
    }),
    runs_instance: z.boolean().meta({
      description: 'Whether its administrators may read how the service is: that of the first account.',
    }),
  })
  .meta({ id: 'Organization' });

export const OrganizationUpdate = z.strictObject({
  name: label(200).optional(),
  qr_code_marker: z.boolean().optional(),
  watch_destinations: z.boolean().optional(),
});
