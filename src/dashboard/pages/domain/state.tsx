import type { Domain } from '../../api-types.ts';
import { StateChip } from '../../parts/state-chip.tsx';

const states = {
  pending: { word: 'Waiting for DNS', look: 'warn', icon: 'clock' },
  verified: { word: 'Verified', look: 'good', icon: 'check' },
  failing: { word: 'Proof missing', look: 'bad', icon: 'warning' },
} as const;

export const DomainState = ({ state }: Pick<Domain, 'state'>) => <StateChip {...states[state]} />;

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
