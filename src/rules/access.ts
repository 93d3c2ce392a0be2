export type Role = 'administrator' | 'editor';

/** How a change was made; `linnet` is for changes that the service makes by itself. */
export const changeChannels = ['dashboard', 'api_key', 'token', 'import', 'linnet'] as const;
export type ChangeChannel = (typeof changeChannels)[number];

/** The sender of an authenticated call: a member of one organization, in one role. */
export interface Caller {
  readonly via: ChangeChannel;
  /** The API key that was sent. */
  readonly keyId?: number;
  readonly userId: number;
  readonly organizationId: number;
  readonly role: Role;
}

/** An editor may do everything with links, tags, domains and webhooks; only administrators manage members. */
export type Permission = 'edit' | 'manage_members' | 'erase_clicks';

export const may = (role: Role, permission: Permission): boolean =>
  permission === 'edit' || role === 'administrator';
