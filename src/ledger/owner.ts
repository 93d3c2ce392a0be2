/** Whose numbers: a link's, or all of an organization's. */
export interface Owner {
  readonly kind: 'link' | 'organization';
  readonly id: number;
}
