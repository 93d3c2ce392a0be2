import { z } from 'zod';
import { component, label, stamp } from './parts.ts';

export const Organization = component('Organization', {
  id: z.int(),
  created_at: stamp,
  name: z.string(),
  qr_code_marker: z.boolean().describe('The default for new links; see the Link.'),
  watch_destinations: z
    .boolean()
    .describe('Whether destinations are checked daily, for links without their own setting.'),
  can_watch_destinations: z
    .boolean()
    .describe('False where the instance looks at none (`WATCH_DESTINATIONS=off`).'),
  runs_instance: z
    .boolean()
    .describe('Whether its administrators may read the health of the service: that of the first account.'),
});

export const OrganizationUpdate = z.strictObject({
  name: label(200).optional(),
  qr_code_marker: z.boolean().optional(),
  watch_destinations: z.boolean().optional(),
});
