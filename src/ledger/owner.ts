/** The owner of counts: a link, or an organization with all its links. */
export interface Owner {
  readonly kind: 'link' | 'organization';
  readonly id: number;
}
