import { z } from 'zod';
import { changeRole, readMembers, removeMember, type StoredMember } from '../manage/members.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { Member, MemberUpdate, memberAnswerFields } from './schemas/member.ts';
import { pathId } from './schemas/parts.ts';

const memberAnswer = ({ created_at, ...member }: StoredMember): z.input<typeof Member> => ({
  ...member,
  created_at: formatStamp(created_at),
});

export const list = endpoint({
  summary: 'List the members of your organization',
  credential: 'required',
  statuses: { 200: 'All of them, oldest account first.' },
  answer: z.array(Member),
  async handle({ caller }, context) {
    return { status: 200, body: (await readMembers(context, caller)).map(memberAnswer) };
  },
});

export const update = endpoint({
  summary: "Change a member's role",
  description:
    'For administrators. There is always one: 409 `LAST_ADMINISTRATOR` where it would be lowered. What somebody invited as administrator is withdrawn when they become editor.',
  credential: 'required',
  permission: 'manage_members',
  params: pathId,
  body: MemberUpdate,
  ignoredFields: memberAnswerFields,
  statuses: { 200: 'The member as they are now.' },
  answer: Member,
  async handle({ caller, params, body }, context) {
    return { status: 200, body: memberAnswer(await changeRole(context, caller, params.id, body.role)) };
  },
});

export const remove = endpoint({
  summary: 'Remove a member',
  description:
    'For administrators. They go on with an organization of their own; their sessions, tokens, API keys and the invitations they made end. What they made stays here. The last administrator can not be removed.',
  credential: 'required',
  permission: 'manage_members',
  params: pathId,
  statuses: { 204: 'Removed.' },
  async handle({ caller, params }, context) {
    await removeMember(context, caller, params.id);
    return { status: 204, body: undefined };
  },
});
