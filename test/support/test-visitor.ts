import { readUnmapped } from '../../src/rules/address-rules.ts';
import type { Visitor } from '../../src/rules/visitor.ts';

type Known = Partial<Omit<Visitor, 'parameters' | 'parsedAddress'>>;

/** A visitor with only the given properties; everything else has a neutral value. */
export const testVisitor = (known: Known = {}): Visitor => ({
  agent: () => 'person',
  device: () => 'other',
  passedPassword: () => false,
  passedCaptcha: () => false,
  search: () => '',
  parameters: () => new URLSearchParams(known.search?.() ?? ''),
  pathBehind: () => '',
  country: () => 'XX',
  region: () => '',
  city: () => '',
  language: () => '',
  traits: () => ({ device: 'other', os: 'Unknown', browser: 'Unknown' }),
  referrer: () => '',
  address: () => '192.0.2.1',
  parsedAddress: () => readUnmapped(known.address?.() ?? '192.0.2.1'),
  dayHash: () => 0,
  random: () => 0,
  ...known,
});
