import type { RawHit } from '../../journal/hit.ts';
import { classOfAgent, maxAgentLength } from '../../rules/agents/agent-class.ts';
import { type Agent, firstLanguage, readAgent, referrerHost } from '../../rules/agents/user-agent.ts';
import type { Classification } from '../../rules/click-class.ts';
import { classify } from '../../rules/click-class.ts';
import type { ClassReason, ClickClass, DeviceKind } from '../../rules/click-fields.ts';
import { type ClickSource, clickSource } from '../../rules/click-source.ts';
import { countryCode } from '../../rules/country.ts';
import { withoutWww } from '../../rules/host.ts';
import { ruleWords } from '../../rules/link-rules/matched-rule.ts';
import { cityWord, unknownPlace } from '../../rules/place.ts';
import { memoize } from '../../structures/memoize.ts';
import type { Click } from '../click.ts';
import { type DailySalts, visitorHash } from '../visitors/visitor-hash.ts';
import type { PlaceOf } from './geo.ts';

/** A hit as the ledger stores it, plus the versions in its user agent, and its visitor. */
export interface EnrichedHit extends Click {
  readonly organizationId: number;
  readonly outcome: RawHit['outcome'];
  readonly target: RawHit['target'];
  readonly class: ClickClass;
  readonly reason: ClassReason;
  readonly device: DeviceKind;
  readonly source: ClickSource['source'];
  readonly osVersion: string;
  readonly browserVersion: string;
  /** Null for visitors who asked not to be tracked, and for hits folded after their day's salt was destroyed. */
  readonly visitor: number | null;
}

export interface EnrichParts {
  readonly agentOf: (userAgent: string) => ClassifiedAgent;
  readonly placeOf: PlaceOf;
  /** A visit that comes from one of our own pages (a password form, a captcha) has no referrer. */
  readonly isOwnHost: (host: string) => boolean;
  readonly salts: Pick<DailySalts, 'get'>;
}

interface ClassifiedAgent extends Agent {
  readonly classification: Classification;
}

/** '' if there is none. */
export interface Referrer {
  readonly host: string;
  /** The form in which it is counted. */
  readonly shown: string;
}

/** Adds caches: user agents and addresses repeat, and take long to look up. */
export function enrichParts(given: Omit<EnrichParts, 'agentOf'>): EnrichParts {
  const agentOf = memoize(16_384, (userAgent) => ({
    ...readAgent(userAgent),
    classification: classOfAgent(userAgent),
  }));
  return {
    ...given,
    agentOf: (userAgent) => agentOf(userAgent.slice(0, maxAgentLength)),
    placeOf: memoize(32_768, given.placeOf),
  };
}

const noReferrer: Referrer = { host: '', shown: '' };

export function readReferrer(referer: string): Referrer {
  if (referer === '') return noReferrer;
  const host = referrerHost(referer);
  return { host, shown: withoutWww(host) };
}

/** The referring host as it is counted; '' for our own hosts. */
export const countedReferrer = (
  { host, shown }: Referrer,
  { isOwnHost }: Pick<EnrichParts, 'isOwnHost'>,
): string => (isOwnHost(host) ? '' : shown);

/** Computes everything that is stored about one hit: the fold decides later whether it repeats another. */
export function enrich(raw: RawHit, parts: EnrichParts): EnrichedHit {
  const agent = parts.agentOf(raw.userAgent);
  const visitor = visitorHash(parts.salts, raw);
  const { class: hitClass, reason } = classify(raw, () => agent.classification);
  const { source, utm } = clickSource(raw.query);
  const found = parts.placeOf(raw.address);
  const country = countryCode(raw.countryHint) ?? found.country;
  // If a proxy names another country, the file's region and city are wrong as well.
  const place = found.country === country ? found : unknownPlace;
  return {
    linkId: raw.linkId,
    organizationId: raw.organizationId,
    at: raw.at,
    outcome: raw.outcome,
    target: raw.target,
    class: hitClass,
    reason,
    country,
    device: agent.device,
    os: agent.os,
    osVersion: agent.osVersion,
    browser: agent.browser,
    browserVersion: agent.browserVersion,
    language: firstLanguage(raw.acceptLanguage),
    referrer: countedReferrer(readReferrer(raw.referer), parts),
    ...utm,
    ...ruleWords(raw.matchedRule),
    region: place.region,
    city: cityWord(place),
    alias: raw.alias,
    source,
    visitor: raw.doNotTrack ? null : visitor,
  };
}
