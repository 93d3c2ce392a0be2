import { readUnmapped } from '../../src/rules/address-rules.ts';
import { parametersIn, type Visitor } from '../../src/rules/link-rules/visitor.ts';

type Properties = Partial<Omit<Visitor, 'parameters' | 'parsedAddress'>>;

/** A visitor with only the given properties; everything else has a neutral value. */
export const testVisitor = (properties: Properties = {}): Visitor => ({
  agent: () => 'person',
  device: () => 'other',
  passedPassword: () => false,
  passedCaptcha: () => false,
  search: () => '',
  parameters: () => parametersIn(properties.search?.() ?? ''),
  pathAfterSuffix: () => '',
  country: () => 'XX',
  region: () => '',
  city: () => '',
  language: () => '',
  traits: () => ({ device: 'other', os: 'Unknown', browser: 'Unknown' }),
  referrer: () => '',
  address: () => '192.0.2.1',
  parsedAddress: () => readUnmapped(properties.address?.() ?? '192.0.2.1'),
  dayHash: () => 0,
  random: () => 0,
  ...properties,
});
