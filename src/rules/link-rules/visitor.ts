import type { Address } from '../address-rules.ts';
import type { DeviceKind } from '../click-fields.ts';

export type AgentKind = 'person' | 'bot' | 'preview';
export type Device = 'android' | 'ios' | 'other';

/** What a user agent shows about the visitor, in the terms of the statistics. */
export interface AgentTraits {
  readonly device: DeviceKind;
  readonly os: string;
  readonly browser: string;
}

/** The values of each parameter of a query. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

/** `URLSearchParams` searches all parameters for each name, and a link's rules may name thousands. */
export const parametersIn = (search: string): QueryParameters =>
  new Map(
    [...Map.groupBy(new URLSearchParams(search), ([name]) => name)].map(([name, found]) => [
      name,
      found.map(([, value]) => value),
    ]),
  );

/** Evaluated only as far as the decision needs it: most links never need the agent or the device. */
export interface Visitor {
  agent(): AgentKind;
  device(): Device;
  passedPassword(): boolean;
  passedCaptcha(): boolean;
  /** The query of the visited address, with its question mark, or empty. */
  search(): string;
  parameters(): QueryParameters;
  /** The path after the link's suffix in that address, with its slash, or empty. */
  pathAfterSuffix(): string;
  /** ISO 3166 alpha-2, or XX. */
  country(): string;
  /** ISO 3166-2, such as DE-BY; '' if unknown. */
  region(): string;
  /** Its English name; '' if unknown. */
  city(): string;
  /** The preferred language, with its region, in lower case; '' if none is named. */
  language(): string;
  traits(): AgentTraits;
  /** The referring host; '' if none is named. */
  referrer(): string;
  address(): string;
  /** Null if that is invalid. */
  parsedAddress(): Address | null;
  /** 32 bits that are the same for a visitor of an organization all day (UTC), on every node. */
  dayHash(organizationId: number, at: number): number;
  /** A number from 0 to 1, different each time. */
  random(): number;
}
