import { digest } from '../auth/secrets.ts';
import type { Caller, Role } from '../rules/access.ts';
import { normaliseEmail } from '../rules/account.ts';
import { notFound } from '../rules/errors.ts';
import { drawText } from '../rules/random-text.ts';
import * as stored from '../storage/invitations.ts';

import type { Context } from './context.ts';

export type { StoredInvitation } from '../storage/invitations.ts';

const lifetime = 14 * 24 * 60 * 60 * 1000;
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The token is in this answer and never again; whoever has it, and the address, may join. */
export async function inviteMember(
  context: Context,
  caller: Caller,
  email: string,
  role: Role,
): Promise<stored.StoredInvitation & { readonly token: string }> {
  const token = `lni_${drawText(letters, 32, context.randomBytes)}`;
  const now = context.now();
  const invitation = await context.database.write((queries) =>
    stored.replaceInvitation(queries, {
      created_at: now,
      organization_id: caller.organizationId,
      invited_by: caller.userId,
      email: normaliseEmail(email),
      role,
      token_hash: digest(token),
      expires_at: now + lifetime,
    }),
  );
  return { ...invitation, token };
}

export const readInvitations = (context: Context, caller: Caller): Promise<stored.StoredInvitation[]> =>
  stored.listInvitations(context.database.read, caller.organizationId);

export async function withdrawInvitation(context: Context, caller: Caller, id: number): Promise<void> {
  const deleted = await context.database.write((queries) =>
    stored.deleteInvitation(queries, caller.organizationId, id),
  );
  if (!deleted) throw notFound('invitation');
}
