import type { Domain } from '../../api-types.ts';
import { Icon } from '../../parts/icons.tsx';

const looks = {
  pending: { word: 'Waiting for DNS', look: 'warn', icon: 'clock' },
  verified: { word: 'Verified', look: 'good', icon: 'check' },
  failing: { word: 'Proof missing', look: 'bad', icon: 'warning' },
} as const;

export function DomainState({ state }: Pick<Domain, 'state'>) {
  const { word, look, icon } = looks[state];
  return (
    <span class={`chip ${look}`}>
      <Icon name={icon} size={14} />
      {word}
    </span>
  );
}

/** An internationalised name both ways; a plain one once. */
export function DomainName({ domain, domain_unicode }: Pick<Domain, 'domain' | 'domain_unicode'>) {
  return domain === domain_unicode ? (
    domain
  ) : (
    <>
      {domain_unicode} <span class="soft small">{domain}</span>
    </>
  );
}
