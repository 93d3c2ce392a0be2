import type { z } from 'zod';
import { readOrganization, type StoredOrganization, updateOrganization } from '../manage/organization.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { Organization, OrganizationUpdate, organizationAnswerFields } from './schemas/organization.ts';

const organizationAnswer = (organization: StoredOrganization): z.input<typeof Organization> => ({
  id: organization.id,
  created_at: formatStamp(organization.created_at),
  name: organization.name,
  qr_code_marker: organization.qr_marker === 1,
});

export const read = endpoint({
  summary: 'Read your organization',
  credential: 'required',
  statuses: { 200: 'The organization.' },
  answer: Organization,
  async handle({ caller }, context) {
    return { status: 200, body: organizationAnswer(await readOrganization(context, caller)) };
  },
});

export const update = endpoint({
  summary: 'Change your organization',
  description: 'For administrators. Links that exist keep the codes they have.',
  credential: 'required',
  permission: 'manage_members',
  body: OrganizationUpdate,
  ignoredFields: organizationAnswerFields,
  statuses: { 200: 'The organization as it is now.' },
  answer: Organization,
  async handle({ caller, body }, context) {
    return { status: 200, body: organizationAnswer(await updateOrganization(context, caller, body)) };
  },
});
