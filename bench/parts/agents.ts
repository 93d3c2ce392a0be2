import { enrichParts } from '../../src/ledger/enrich.ts';
import { classOfAgent } from '../../src/rules/agent-class.ts';
import { readAgent } from '../../src/rules/user-agent.ts';
import type { Effort } from '../effort.ts';
import { type Figure, figure } from '../figures.ts';
import { agentAt } from '../hit-mix.ts';
import { number, type Report, range } from '../table.ts';

const agents = 2_000;
const warmUp = 20;

/** The fold's cost of a user agent: parsed for the first time, and found in the cache. */
export async function measureAgents({ clicks }: Effort): Promise<Report> {
  const userAgents = Array.from({ length: agents }, (_, index) => agentAt(index));
  const { agentOf } = enrichParts({
    countryOf: () => 'XX',
    isOwnHost: () => false,
    salts: { get: () => null },
  });
  const rounds = clicks.rounds * 10;
  const classes = nanoseconds(userAgents, rounds, classOfAgent);
  const means = nanoseconds(userAgents, rounds, readAgent);
  const cached = nanoseconds(userAgents, rounds, agentOf);
  const row = (name: string, found: Figure) => [name, number(found.median), range(found)];
  return {
    title: `Parsing one of ${number(agents)} user agents`,
    columns: ['ns', 'range'],
    rows: [
      row('person or machine, uncached', classes),
      row('device, system and browser, uncached', means),
      row('all of it, cached', cached),
    ],
    notes: [
      'A hit costs what the last row says. Consecutive hits of one visitor cost less: they are recognised by their bytes.',
    ],
    figures: { class_ns: classes, means_ns: means, cached_ns: cached },
  };
}

/** In CPU time of this process, so that others on the machine don't count. */
function nanoseconds(
  userAgents: readonly string[],
  rounds: number,
  read: (userAgent: string) => unknown,
): Figure {
  const times: number[] = [];
  for (let round = 0; round < rounds + warmUp; round++) {
    const begun = process.cpuUsage();
    for (const userAgent of userAgents) read(userAgent);
    const { user, system } = process.cpuUsage(begun);
    if (round >= warmUp) times.push(((user + system) * 1_000) / userAgents.length);
  }
  return figure(times);
}
