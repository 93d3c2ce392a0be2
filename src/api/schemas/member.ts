import { z } from 'zod';
import { component, stamp, textOrNull } from './parts.ts';
import { role } from './user.ts';

export const Member = component('Member', {
  id: z.int(),
  created_at: stamp,
  email: z.string(),
  name: textOrNull,
  role,
});

export const MemberUpdate = z.strictObject({ role });
