/** The orders in which an organization's links can be listed; a leading minus reverses one. */
export const linkOrders = [
  '-created_at',
  'created_at',
  '-updated_at',
  'updated_at',
  'name',
  '-name',
  'suffix',
  '-suffix',
  '-clicks',
  'clicks',
] as const;

export type LinkOrder = (typeof linkOrders)[number];
