import { z } from 'zod';
import { component, stamp, text } from './parts.ts';
import { email, role } from './user.ts';

export const Invitation = component('Invitation', {
  id: z.int(),
  created_at: stamp,
  email: z.string(),
  role,
  expires_at: stamp,
});

export const NewInvitation = Invitation.extend({
  token: z
    .string()
    .describe('For POST /api/v1/user and POST /api/v1/invitation/accept: only shown in this response.'),
  url: z.string().describe('The page where it is accepted. It contains the token.'),
  sent: z.boolean().describe('Whether a mail server accepted the mail. If not, pass on the url yourself.'),
}).meta({ id: 'NewInvitation' });

export const InvitationToCreate = z.strictObject({ email, role: role.default('editor') });

export const InvitationToken = z.strictObject({ token: text(200) });

export const InvitationPreview = component('InvitationPreview', {
  organization_id: z.int(),
  organization_name: z.string(),
  email: z.string(),
  role,
  invited_by: z.string(),
  expires_at: stamp,
  has_account: z.boolean().describe('True: sign in with this address; false: create an account for it.'),
});

export const ReceivedInvitation = component('ReceivedInvitation', {
  id: z.int(),
  created_at: stamp,
  organization_id: z.int(),
  organization_name: z.string(),
  role,
  invited_by: z.string().describe('Name or address.'),
  expires_at: stamp,
});
