export type Role = 'administrator' | 'editor';

export const roleNames: Readonly<Record<Role, string>> = {
  administrator: 'Administrator',
  editor: 'Editor',
};

export const roleChoices = [
  { value: 'editor', label: 'Editor' },
  { value: 'administrator', label: 'Administrator' },
] as const;

export const roleHint =
  'Editors can do everything with links, tags and domains. Administrators also manage members.';

export const asRole = (value: string): Role => (value === 'administrator' ? 'administrator' : 'editor');
