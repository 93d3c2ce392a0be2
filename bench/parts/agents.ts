import { enrichParts } from '../../src/ledger/fold/enrich.ts';
import { classOfAgent } from '../../src/rules/agents/agent-class.ts';
import { readAgent } from '../../src/rules/agents/user-agent.ts';
import { unknownPlace } from '../../src/rules/place.ts';
import type { Effort } from '../effort.ts';
import { type Figure, figure } from '../figures.ts';
import { agentAt } from '../hit-mix.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';

const agents = 2_000;
const warmUp = 20;

/** The fold's cost of a user agent: parsed for the first time, and found in the cache. */
export async function measureAgents({ clicks }: Effort): Promise<Report> {
  const userAgents = Array.from({ length: agents }, (_, index) => agentAt(index));
  const { agentOf } = enrichParts({
    placeOf: () => unknownPlace,
    isOwnHost: () => false,
    salts: { get: () => null },
  });
  const rounds = clicks.rounds * 10;
  const classes = nanoseconds(userAgents, rounds, classOfAgent);
  const traits = nanoseconds(userAgents, rounds, readAgent);
  const cached = nanoseconds(userAgents, rounds, agentOf);
  const row = (name: string, result: Figure) => [name, formatNumber(result.median), formatRange(result)];
  return {
    title: `Parsing one of ${formatNumber(agents)} user agents`,
    columns: ['ns', 'range'],
    rows: [
      row('person or machine, uncached', classes),
      row('device, system and browser, uncached', traits),
      row('all of it, cached', cached),
    ],
    notes: [
      'A hit costs what the last row says. Consecutive hits of one visitor cost less: they are recognised by their bytes.',
    ],
    figures: { class_ns: classes, means_ns: traits, cached_ns: cached },
  };
}

/** In CPU time of this process, so that other processes on the machine don't count. */
function nanoseconds(
  userAgents: readonly string[],
  rounds: number,
  read: (userAgent: string) => unknown,
): Figure {
  const times: number[] = [];
  for (let round = 0; round < rounds + warmUp; round++) {
    const before = process.cpuUsage();
    for (const userAgent of userAgents) read(userAgent);
    const { user, system } = process.cpuUsage(before);
    if (round >= warmUp) times.push(((user + system) * 1_000) / userAgents.length);
  }
  return figure(times);
}
