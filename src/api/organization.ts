import type { z } from 'zod';
import {
  readOrganization,
  type StoredOrganization,
  updateOrganization,
} from '../manage/accounts/organization.ts';
import type { Context } from '../manage/context.ts';
import { runsInstance } from '../manage/instance.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { Organization, OrganizationUpdate } from './schemas/organization.ts';

const organizationAnswer = async (
  context: Context,
  organization: StoredOrganization,
): Promise<z.input<typeof Organization>> => ({
  id: organization.id,
  created_at: formatStamp(organization.created_at),
  name: organization.name,
  qr_code_marker: organization.qr_marker === 1,
  watch_destinations: organization.watch_destinations === 1,
  can_watch_destinations: context.config.watchDestinations === 'on',
  runs_instance: await runsInstance(context, organization.id),
});

export const read = endpoint({
  summary: 'Read your organization',
  statuses: { 200: 'The organization.' },
  answer: Organization,
  handle: async ({ caller }, context) => organizationAnswer(context, await readOrganization(context, caller)),
});

export const update = endpoint({
  summary: 'Change your organization',
  description: 'For administrators. Existing links keep their QR codes.',
  administratorsOnly: true,
  body: OrganizationUpdate,
  takesAnswerBack: true,
  statuses: { 200: 'The organization as it is now.' },
  answer: Organization,
  handle: async ({ caller, body }, context) =>
    organizationAnswer(context, await updateOrganization(context, caller, body)),
});
