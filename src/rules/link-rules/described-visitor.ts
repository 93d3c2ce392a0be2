import { readUnmapped } from '../address-rules.ts';
import { maxAgentLength } from '../agents/agent-class.ts';
import { firstLanguageTag, readAgent, referrerHost } from '../agents/user-agent.ts';
import { agentKind, deviceOf } from '../agents/visitor-kind.ts';
import { dayHash } from '../day-hash.ts';
import { parametersIn, type Visitor } from './visitor.ts';

/** A hypothetical visit. */
export interface Description {
  readonly country: string;
  readonly region: string;
  readonly city: string;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  readonly referrer: string;
  readonly address: string;
  readonly search: string;
  readonly pathAfterSuffix: string;
  /** Whether it passed the password and the captcha. */
  readonly passedGates: boolean;
  readonly hashSeed: number;
}

/** The visitor of a hypothetical visit. Without headers there is no evidence against a browser. */
export const describedVisitor = (described: Description): Visitor => ({
  agent: () => agentKind({ userAgent: described.userAgent, headerEvidence: 'none' }),
  device: () => deviceOf(described.userAgent, null),
  passedPassword: () => described.passedGates,
  passedCaptcha: () => described.passedGates,
  search: () => described.search,
  parameters: () => parametersIn(described.search),
  pathAfterSuffix: () => described.pathAfterSuffix,
  country: () => described.country,
  region: () => described.region,
  city: () => described.city,
  language: () => firstLanguageTag(described.acceptLanguage),
  traits: () => readAgent(described.userAgent.slice(0, maxAgentLength)),
  referrer: () => referrerHost(described.referrer),
  address: () => described.address,
  parsedAddress: () => readUnmapped(described.address),
  dayHash: (organizationId, at) => dayHash(described.hashSeed, { organizationId, at, ...described }),
  random: () => Math.random(),
});
