import { z } from 'zod';
import { stamp } from './parts.ts';
import { role } from './user.ts';

export const Member = z
  .object({ id: z.int(), created_at: stamp, email: z.string(), name: z.string().nullable(), role })
  .meta({ id: 'Member' });

export const MemberUpdate = z.strictObject({ role });
