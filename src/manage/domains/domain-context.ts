import type { DomainFindings, DomainTarget } from '../../rules/domains/domain-findings.ts';
import type { DomainState } from '../../rules/domains/domain-status.ts';

export interface DomainContext {
  /** Null: the program is ending, and doesn't wait for the answer. */
  readonly dns: { findingsFor(host: string): Promise<DomainFindings | null> };
  /** Whether there is a public address that domains can lead to. */
  readonly hasPublicAddress: boolean;
  readonly target: { find(): Promise<DomainTarget> };
  /** Whether this service gets certificates for them itself. */
  readonly getsCertificates: boolean;
  /** Hosts that belong to the service and can't be a custom domain. */
  readonly ownHosts: readonly string[];
  /** Invalidates this node's cache of a host at once; other nodes follow the change feed. */
  readonly changed: (host: string) => void;
  /** The state of a domain has changed: for the operator's log. */
  readonly report: (host: string, before: DomainState, after: DomainState) => void;
  /** Stops waiting for name servers. */
  readonly close: () => void;
}
