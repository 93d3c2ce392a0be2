import type { Caller } from '../../rules/access.ts';
import { existing } from '../../rules/errors.ts';
import * as stored from '../../storage/accounts/organizations.ts';
import { recordOtherChange } from '../../storage/marked-changes.ts';
import type { Context } from '../context.ts';

export type { StoredOrganization } from '../../storage/accounts/organizations.ts';

interface OrganizationUpdate {
  readonly name?: string | undefined;
  readonly qr_code_marker?: boolean | undefined;
  readonly watch_destinations?: boolean | undefined;
}

export const readOrganization = (
  { database }: Context,
  { organizationId }: Caller,
): Promise<stored.StoredOrganization> =>
  existing(stored.findOrganization(database.lookup, organizationId), 'organization');

export async function updateOrganization(
  context: Context,
  caller: Caller,
  { name, qr_code_marker, watch_destinations }: OrganizationUpdate,
): Promise<stored.StoredOrganization> {
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(qr_code_marker === undefined ? {} : { qr_marker: qr_code_marker ? 1 : 0 }),
    ...(watch_destinations === undefined ? {} : { watch_destinations: watch_destinations ? 1 : 0 }),
  };
  if (Object.keys(changes).length === 0) return readOrganization(context, caller);
  return context.database.write(async (queries) => {
    const updated = stored.updateOrganization(queries, caller.organizationId, changes);
    const organization = await existing(updated, 'organization');
    await recordOtherChange(queries, 'organization', organization.id, context.now());
    return organization;
  });
}
