import { type Address, readUnmapped } from '../rules/address-rules.ts';
import { classOfAgent, maxAgentLength } from '../rules/agents/agent-class.ts';
import { firstLanguageTag, readAgent, referrerHost } from '../rules/agents/user-agent.ts';
import { agentKind, deviceOf } from '../rules/agents/visitor-kind.ts';
import { countryCode, unknownCountry } from '../rules/country.ts';
import { dayHash } from '../rules/day-hash.ts';
import {
  type AgentKind,
  type AgentTraits,
  type Device,
  parametersIn,
  type QueryParameters,
  type Visitor,
} from '../rules/link-rules/visitor.ts';
import type { Place } from '../rules/place.ts';
import { memoize } from '../structures/memoize.ts';
import type { Visit } from './visit.ts';

/**
 * Memoized, because links with a gate, a preview or a click limit need the class of every visit: parsing takes some microseconds.
 */
export const classOf = memoize(4_096, classOfAgent);
/** The same for links with rules. */
const traitsOf = memoize(4_096, readAgent);
const hostOf = memoize(4_096, referrerHost);
const languageOf = memoize(1_024, firstLanguageTag);

const never = () => false;

/** What rules need beyond the request. */
export interface VisitorDependencies {
  /** The location of a network, as `networkOf` writes it. */
  readonly placeOf: (network: string) => Place;
  /** The same on all nodes of an instance, and different for other instances. */
  readonly hashSeed: number;
}

/** The visitor as the decision sees them, each fact computed when it is first needed. */
export class LazyVisitor implements Visitor {
  readonly #visit: Visit;
  readonly #dependencies: VisitorDependencies;
  readonly #hasPass: () => boolean;
  readonly #hasSolved: boolean;
  readonly #pathAfterSuffix: string;
  /** Cached, because several rules may need it. */
  #country: string | null = null;
  #place: Place | null = null;
  #language: string | null = null;
  #traits: AgentTraits | null = null;
  #referrer: string | null = null;
  #parameters: QueryParameters | null = null;
  #parsedAddress: Address | null | undefined;

  constructor(
    visit: Visit,
    dependencies: VisitorDependencies,
    pathAfterSuffix: string,
    hasPass: () => boolean = never,
    hasSolved = false,
  ) {
    this.#visit = visit;
    this.#dependencies = dependencies;
    this.#hasPass = hasPass;
    this.#hasSolved = hasSolved;
    this.#pathAfterSuffix = pathAfterSuffix;
  }

  agent(): AgentKind {
    const { userAgent, headerEvidence } = this.#visit;
    return agentKind({ userAgent: userAgent ?? '', headerEvidence }, classOf);
  }

  device(): Device {
    return deviceOf(this.#visit.userAgent, this.#visit.platformHint);
  }

  passedPassword(): boolean {
    return this.#hasPass();
  }

  passedCaptcha(): boolean {
    return this.#hasSolved;
  }

  search(): string {
    return this.#visit.search;
  }

  parameters(): QueryParameters {
    this.#parameters ??= parametersIn(this.#visit.search);
    return this.#parameters;
  }

  pathAfterSuffix(): string {
    return this.#pathAfterSuffix;
  }

  country(): string {
    this.#country ??= this.#findCountry();
    return this.#country;
  }

  region(): string {
    return this.#isPlaceOfCountry() ? this.#findPlace().region : '';
  }

  city(): string {
    return this.#isPlaceOfCountry() ? this.#findPlace().city : '';
  }

  language(): string {
    this.#language ??= languageOf(this.#visit.acceptLanguage);
    return this.#language;
  }

  traits(): AgentTraits {
    this.#traits ??= traitsOf((this.#visit.userAgent ?? '').slice(0, maxAgentLength));
    return this.#traits;
  }

  referrer(): string {
    this.#referrer ??= hostOf(this.#visit.referer);
    return this.#referrer;
  }

  address(): string {
    return this.#visit.address;
  }

  parsedAddress(): Address | null {
    if (this.#parsedAddress === undefined) this.#parsedAddress = readUnmapped(this.#visit.address);
    return this.#parsedAddress;
  }

  dayHash(organizationId: number, at: number): number {
    const { address, userAgent } = this.#visit;
    return dayHash(this.#dependencies.hashSeed, { organizationId, at, address, userAgent: userAgent ?? '' });
  }

  random(): number {
    return Math.random();
  }

  #findCountry(): string {
    const hinted = countryCode(this.#visit.countryHint);
    return (hinted ?? this.#findPlace().country) || unknownCountry;
  }

  #findPlace(): Place {
    this.#place ??= this.#dependencies.placeOf(this.#visit.network);
    return this.#place;
  }

  /** Where a proxy names another country, the file's region and city are wrong as well. */
  #isPlaceOfCountry(): boolean {
    return this.#findPlace().country === this.country();
  }
}
