import { maxAgentLength } from '../rules/agents/agent-class.ts';
import { classify } from '../rules/click-class.ts';
import { type HitTrust, trustedEvidence } from './hit.ts';
import type { Visit } from './visit.ts';
import { classOf } from './visitor.ts';

/** Whether a redirected visit is a click: made by a person, as far as the visit itself shows. */
export function isPerson(visit: Visit, trust: HitTrust): boolean {
  const { method, purpose } = visit;
  const userAgent = (visit.userAgent ?? '').slice(0, maxAgentLength);
  return (
    classify({ method, purpose, userAgent, headerEvidence: trustedEvidence(visit, trust) }, classOf).class ===
    'human'
  );
}
