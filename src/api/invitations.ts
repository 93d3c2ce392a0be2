import { z } from 'zod';
import {
  inviteMember,
  readInvitations,
  type StoredInvitation,
  withdrawInvitation,
} from '../manage/invitations.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { Invitation, InvitationToCreate, NewInvitation } from './schemas/invitation.ts';
import { pathId } from './schemas/parts.ts';

const invitationAnswer = (invitation: StoredInvitation): z.input<typeof Invitation> => ({
  id: invitation.id,
  created_at: formatStamp(invitation.created_at),
  email: invitation.email,
  role: invitation.role,
  expires_at: formatStamp(invitation.expires_at),
});

export const create = endpoint({
  summary: 'Invite somebody to your organization',
  description: 'For administrators. A new invitation for the same address replaces the one before.',
  credential: 'required',
  deed: 'manage_members',
  body: InvitationToCreate,
  statuses: { 201: 'The invitation, its token this once.' },
  answer: NewInvitation,
  async handle({ caller, body }, context) {
    const made = await inviteMember(context, caller, body.email, body.role);
    return { status: 201, body: { ...invitationAnswer(made), token: made.token } };
  },
});

export const list = endpoint({
  summary: 'List outstanding invitations',
  credential: 'required',
  deed: 'manage_members',
  statuses: { 200: 'Newest first.' },
  answer: z.array(Invitation),
  async handle({ caller }, context) {
    return { status: 200, body: (await readInvitations(context, caller)).map(invitationAnswer) };
  },
});

export const remove = endpoint({
  summary: 'Withdraw an invitation',
  credential: 'required',
  deed: 'manage_members',
  params: pathId,
  statuses: { 204: 'Withdrawn.' },
  async handle({ caller, params }, context) {
    await withdrawInvitation(context, caller, params.id);
    return { status: 204, body: undefined };
  },
});
