import type { Address } from './address-rules.ts';
import type { DeviceKind } from './click-fields.ts';

export type AgentKind = 'person' | 'bot' | 'preview';
export type Device = 'android' | 'ios' | 'other';

/** What a user agent says, in the words of the statistics. */
export interface AgentTraits {
  readonly device: DeviceKind;
  readonly os: string;
  readonly browser: string;
}

/** Asked only as far as the decision needs it: most links never look at the agent or the device. */
export interface Visitor {
  agent(): AgentKind;
  device(): Device;
  passedPassword(): boolean;
  passedCaptcha(): boolean;
  /** The query of the address that was visited, with its question mark, or empty. */
  search(): string;
  parameters(): URLSearchParams;
  /** What follows the link's suffix in that address, with its slash, or empty. */
  pathBehind(): string;
  /** ISO 3166 alpha-2, or XX. */
  country(): string;
  /** ISO 3166-2, such as DE-BY; '' where none is known. */
  region(): string;
  /** Its English name; '' where none is known. */
  city(): string;
  /** The language asked for first, with its region, in lower case; '' where none is named. */
  language(): string;
  traits(): AgentTraits;
  /** The host that the visitor came from; '' where none is named. */
  referrer(): string;
  address(): string;
  /** Null where that is none. */
  parsedAddress(): Address | null;
  /** 32 bits that are the same for a visitor of an organization all day (UTC), on every node. */
  dayHash(organizationId: number, at: number): number;
  /** A number from 0 to 1, another one each time. */
  chance(): number;
}
