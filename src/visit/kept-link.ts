import type { LinkForVisitor } from '../rules/resolve.ts';

type Own = 'id' | 'organizationId' | 'destinationUrl';
type Trait = Exclude<keyof LinkForVisitor, Own>;

/** What most links have in common. */
const common: Pick<LinkForVisitor, Trait> = {
  androidUrl: null,
  iosUrl: null,
  ogTitle: null,
  ogDescription: null,
  ogImage: null,
  expiresAt: null,
  passwordHash: null,
  captcha: false,
  botProtection: false,
  isPlain: true,
};
const traits = Object.keys(common) as Trait[];

/** A link that has nothing of its own but where it leads: the rest is in its prototype, once for all of them. */
class UsualLink implements Pick<LinkForVisitor, Own> {
  readonly id: number;
  readonly organizationId: number;
  readonly destinationUrl: string;

  constructor({ id, organizationId, destinationUrl }: LinkForVisitor) {
    this.id = id;
    this.organizationId = organizationId;
    this.destinationUrl = destinationUrl;
  }
}
Object.assign(UsualLink.prototype, common);

/** The same link in the least room: that of a usual one is a quarter less, with the place it has in a cache. */
export const kept = (link: LinkForVisitor): LinkForVisitor =>
  traits.every((trait) => link[trait] === common[trait]) ? (new UsualLink(link) as LinkForVisitor) : link;

/** About what it takes in memory without its texts: the object, and a map's slot. */
export const roomOf = (link: LinkForVisitor): number => (link instanceof UsualLink ? 235 : 330);
