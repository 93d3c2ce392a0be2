import { maxAgentLength } from '../rules/agent-class.ts';
import { classify } from '../rules/click-class.ts';
import type { LinkForVisitor } from '../rules/resolve.ts';
import { believedWitness, type HitTrust } from './hit.ts';
import type { Visit } from './visit.ts';
import { classOf } from './visitor.ts';

/** Whether a visit that is led on takes one of the clicks of a link that has a limit of them: what the ledger calls a person. */
export function spendsClick(visit: Visit, { options }: LinkForVisitor, trust: HitTrust): boolean {
  if (options === null || options.clickLimit === null) return false;
  const { method, purpose } = visit;
  const userAgent = (visit.userAgent ?? '').slice(0, maxAgentLength);
  return (
    classify({ method, purpose, userAgent, witness: believedWitness(visit, trust) }, classOf).class ===
    'human'
  );
}
