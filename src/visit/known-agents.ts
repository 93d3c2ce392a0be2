import { agentKind } from '../rules/visitor-kind.ts';
import { memoize } from '../structures/memoize.ts';

const maxAgents = 4_096;

/** Links that are guarded, or have a preview, ask this of every visit: a look into a map instead of some microseconds. */
const known = memoize(maxAgents, agentKind);

export const knownAgentKind = (userAgent: string | null) => known(userAgent ?? '');
