import type { Domain } from '../../api-types.ts';
import { StateChip } from '../../parts/state-chip.tsx';

const states = {
  pending: { word: 'Waiting for DNS', tone: 'warn', icon: 'clock' },
  verified: { word: 'Verified', tone: 'good', icon: 'check' },
  failing: { word: 'Proof missing', tone: 'bad', icon: 'warning' },
} as const;

const certificateStates = {
  none: { word: 'No certificate', tone: 'bad', icon: 'warning' },
  old: { word: 'Certificate not renewed', tone: 'warn', icon: 'warning' },
} as const;

/** The most important problem first: a verified domain whose certificate fails is not fine. */
export function DomainState({ state, certificate }: Pick<Domain, 'state' | 'certificate'>) {
  const failing = state === 'verified' && certificate?.state === 'failing' ? certificate : null;
  if (failing === null) return <StateChip {...states[state]} />;
  return <StateChip {...certificateStates[failing.valid_until === null ? 'none' : 'old']} />;
}

/** What is wrong with the certificate, and what to do; null if nothing is. */
export function certificateProblem({ certificate }: Pick<Domain, 'certificate'>): string | null {
  if (!certificate?.problem) return null;
  return `No ${certificate.valid_until ? 'newer ' : ''}certificate for HTTPS: ${certificate.problem}`;
}

/** The name in Unicode, and also in ASCII where that differs. */
export function DomainName({ domain, domain_unicode }: Pick<Domain, 'domain' | 'domain_unicode'>) {
  return domain === domain_unicode ? (
    domain
  ) : (
    <>
      {domain_unicode} <span class="soft small">{domain}</span>
    </>
  );
}
