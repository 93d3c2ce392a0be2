import type { Visitor } from '../../src/rules/visitor.ts';

/** A visitor of whom nothing is known but what is given. */
export const someVisitor = (known: Partial<Visitor> = {}): Visitor => ({
  agent: () => 'person',
  device: () => 'other',
  passedPassword: () => false,
  passedCaptcha: () => false,
  search: () => '',
  pathBehind: () => '',
  country: () => 'XX',
  language: () => '',
  traits: () => ({ device: 'other', os: 'Unknown', browser: 'Unknown' }),
  referrer: () => '',
  address: () => '192.0.2.1',
  dayHash: () => 0,
  chance: () => 0,
  ...known,
});
