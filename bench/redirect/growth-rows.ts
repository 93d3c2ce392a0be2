import { number, range } from '../table.ts';
import { type Arranged, steadyRate } from './workers.ts';

/** What two workers add, as it is printed and as it is shown. */
export const growthColumns = [
  'nginx',
  'Linnet',
  "Linnet's to nginx's",
  'range',
  'Linnet to nginx',
  'switches, nginx',
  'switches, Linnet',
  'nginx, same rate',
  'Linnet, same rate',
];

export const growthRow = (each: Arranged): readonly string[] => [
  each.name,
  number(each.nginxGrowth.median),
  number(each.linnetGrowth.median),
  number(each.growthRatio.median),
  range(each.growthRatio),
  number(each.toNginx.median),
  number(each.nginxSwitches.median),
  number(each.linnetSwitches.median),
  number(each.nginxSteady.median),
  number(each.linnetSteady.median),
];

export const growthNote = [
  'Switches: how often a thread gave up its core, in a thousand requests, the fold and the rest of the program among them.',
  `Same rate: CPU a request, to one worker, where ${steadyRate.toLocaleString('en')} visits a second come for each worker.`,
].join(' ');
