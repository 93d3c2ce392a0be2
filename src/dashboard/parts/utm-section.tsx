import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { utmFields } from '../../rules/click-fields.ts';
import { type UtmChanges, utmOf } from '../../rules/destinations/utm.ts';
import { lazy } from '../lazy.tsx';
import { DisclosureButton } from './disclosure-button.tsx';

const UtmBuilder = lazy(() => import('./utm-builder.tsx').then((part) => part.UtmBuilder));

interface UtmProps {
  /** All get the same parameters. */
  readonly destinations: readonly string[];
  readonly onChange: (changes: UtmChanges) => void;
}

/** The UTM parameters of destinations. They are stored only in the addresses: read from them, and written back. */
export function UtmSection({ destinations, onChange }: UtmProps) {
  const isOpen = useSignal(false);
  const id = useId();
  const values = destinations.length === 1 ? utmOf(destinations[0] ?? '') : null;
  const summary = values && utmFields.flatMap((field) => values[field] || []).join(' · ');
  return (
    <div class="utm">
      <div class="field-more beside">
        <DisclosureButton isOpen={isOpen} controls={id}>
          UTM parameters
        </DisclosureButton>
        {!isOpen.value && summary && <span class="soft small cut">{summary}</span>}
      </div>
      <div id={id} hidden={!isOpen.value}>
        {isOpen.value && <UtmBuilder destinations={destinations} onChange={onChange} />}
      </div>
    </div>
  );
}
