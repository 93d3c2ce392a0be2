/** An editor may do everything with links, tags, domains and webhooks, except erase clicks; only administrators manage members. */
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
