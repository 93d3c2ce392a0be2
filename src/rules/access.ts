export type Role = 'administrator' | 'editor';

/** The maker of an authenticated call: a member of one organization, in one role. */
export interface Caller {
  readonly userId: number;
  readonly organizationId: number;
  readonly role: Role;
}

/** An editor does everything with links, tags, domains and webhooks; members are an administrator's business. */
export type Permission = 'edit' | 'manage_members' | 'erase_clicks';

export const may = (role: Role, permission: Permission): boolean =>
  permission === 'edit' || role === 'administrator';
