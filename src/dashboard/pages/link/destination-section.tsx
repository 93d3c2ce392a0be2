import { withUtm } from '../../../rules/utm.ts';
import { TextField } from '../../parts/field.tsx';
import { UtmSection } from '../../parts/utm-section.tsx';
import type { LinkForm } from './form.ts';
import { WatchField } from './watch-field.tsx';

/** The link's destinations. */
export function DestinationSection({ form }: { form: LinkForm }) {
  const { fields } = form;
  return (
    <section class="form" aria-labelledby="destination-heading">
      <h2 id="destination-heading">Where it leads</h2>
      <div class="field-with-more">
        <TextField {...form.url('destination_url')} required />
        <UtmSection
          destinations={[fields.destination_url]}
          onChange={(changes) => form.set('destination_url', withUtm(fields.destination_url, changes))}
        />
      </div>
      {(['android_link_destination', 'ios_link_destination'] as const).map((name) => (
        <TextField key={name} {...form.url(name)} placeholder="Same as everywhere" />
      ))}
      <WatchField form={form} />
    </section>
  );
}
