import { number, range } from '../table.ts';
import { type Arranged, steadyRate } from './workers.ts';

/** The cost of a second worker, for the terminal and for the page. */
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
  'Switches: context switches per thousand requests, including those of the fold and the rest of the program.',
  `Same rate: CPU a request relative to one worker, at ${steadyRate.toLocaleString('en')} visits a second for each worker.`,
].join(' ');
