import { remembered } from '../clicks/lately.ts';
import { agentKind } from '../rules/visitor-kind.ts';

const maxAgents = 4_096;

/** Links that are guarded, or have a preview, ask this of every visit: a look into a map instead of some microseconds. */
const known = remembered(maxAgents, agentKind);

export const knownAgentKind = (userAgent: string | null) => known(userAgent ?? '');
