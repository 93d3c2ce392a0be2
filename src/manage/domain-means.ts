import type { DomainFindings, DomainTarget } from '../rules/domain-findings.ts';
import type { DomainState } from '../rules/domain-standing.ts';

/** What custom domains are managed with. */
export interface DomainMeans {
  /** Null: the program is ending, and doesn't wait for the answer. */
  readonly dns: { findingsFor(host: string): Promise<DomainFindings | null> };
  /** Whether there is any public place to lead to. */
  readonly leadHere: boolean;
  readonly target: { find(): Promise<DomainTarget> };
  /** Hosts that belong to the service and can't be a custom domain. */
  readonly ownHosts: readonly string[];
  /** Tells this node's caches at once what a host stands for now; other nodes learn it from the change feed. */
  readonly changed: (host: string) => void;
  /** A domain stands otherwise than before: something for the operator to know. */
  readonly report: (host: string, before: DomainState, after: DomainState) => void;
  /** Waits for no name server any longer. */
  readonly close: () => void;
}
