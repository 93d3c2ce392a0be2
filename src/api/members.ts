import { z } from 'zod';
import { changeRole, readMembers, removeMember, type StoredMember } from '../manage/accounts/members.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { Member, MemberUpdate } from './schemas/member.ts';
import { pathId } from './schemas/parts.ts';

const memberAnswer = ({ created_at, joined_at, ...member }: StoredMember): z.input<typeof Member> => ({
  ...member,
  created_at: formatStamp(created_at),
  joined_at: formatStamp(joined_at ?? created_at),
});

export const list = endpoint({
  summary: 'List the members of your organization',
  statuses: { 200: 'All of them, oldest account first.' },
  answer: z.array(Member),
  handle: async ({ caller }, context) => (await readMembers(context, caller)).map(memberAnswer),
});

export const update = endpoint({
  summary: "Change a member's role",
  description:
    'For administrators. There is always one: 409 `LAST_ADMINISTRATOR` if the last one would be demoted. Invitations by an administrator are withdrawn if they become an editor.',
  administratorsOnly: true,
  params: pathId,
  body: MemberUpdate,
  takesAnswerBack: true,
  statuses: { 200: 'The member as they are now.' },
  answer: Member,
  handle: async ({ caller, params, body }, context) =>
    memberAnswer(await changeRole(context, caller, params.id, body.role)),
});

export const remove = endpoint({
  summary: 'Remove a member',
  description:
    'For administrators. They continue with a new organization; their sessions, tokens, API keys and invitations end. What they created stays here. The last administrator can’t be removed.',
  administratorsOnly: true,
  params: pathId,
  statuses: { 204: 'Removed.' },
  handle: ({ caller, params }, context) => removeMember(context, caller, params.id),
});
