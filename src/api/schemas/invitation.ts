import { z } from 'zod';
import { stamp } from './parts.ts';
import { email, role } from './user.ts';

export const Invitation = z
  .object({ id: z.int(), created_at: stamp, email: z.string(), role, expires_at: stamp })
  .meta({ id: 'Invitation' });

export const NewInvitation = Invitation.extend({
  token: z.string().meta({ description: 'For POST /api/v1/user: shown in this answer and never again.' }),
}).meta({ id: 'NewInvitation' });

export const InvitationToCreate = z.strictObject({ email, role: role.default('editor') });
