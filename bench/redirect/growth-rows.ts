import { formatNumber, formatRange } from '../table.ts';
import { type ArrangementResult, steadyRate } from './workers.ts';

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

export const growthRow = (each: ArrangementResult): readonly string[] => [
  each.name,
  formatNumber(each.nginxGrowth.median),
  formatNumber(each.linnetGrowth.median),
  formatNumber(each.growthRatio.median),
  formatRange(each.growthRatio),
  formatNumber(each.toNginx.median),
  formatNumber(each.nginxSwitches.median),
  formatNumber(each.linnetSwitches.median),
  formatNumber(each.nginxSteady.median),
  formatNumber(each.linnetSteady.median),
];

export const growthNote = [
  'Switches: context switches per thousand requests, including those of the fold and the rest of the program.',
  `Same rate: CPU a request relative to one worker, at ${steadyRate.toLocaleString('en')} visits a second for each worker.`,
].join(' ');
