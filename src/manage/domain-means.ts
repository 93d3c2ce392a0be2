import type { DomainFindings, DomainTarget } from '../rules/domain-findings.ts';

/** What custom domains are managed with. */
export interface DomainMeans {
  readonly dns: { findingsFor(host: string): Promise<DomainFindings> };
  readonly target: { find(): Promise<DomainTarget> };
  /** Hosts that belong to the service: nobody's custom domain. */
  readonly ownHosts: readonly string[];
  /** Tells this node's caches at once what a host stands for now; other nodes learn it from the change feed. */
  readonly changed: (host: string) => void;
  /** Waits for no name server any longer. */
  readonly close: () => void;
}
