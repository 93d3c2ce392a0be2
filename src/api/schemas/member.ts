import { z } from 'zod';
import { component, stamp, textOrNull } from './parts.ts';
import { role } from './user.ts';

export const Member = component('Member', {
  id: z.int(),
  created_at: stamp,
  joined_at: stamp.meta({
    description: 'When they became a member of your organization, like `created_at`.',
  }),
  email: z.string(),
  name: textOrNull,
  role,
});

export const MemberUpdate = z.strictObject({ role });
