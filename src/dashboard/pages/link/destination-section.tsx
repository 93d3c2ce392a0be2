import { withUtm } from '../../../rules/utm.ts';
import { Fact } from '../../parts/fact.tsx';
import { TextArea, TextField } from '../../parts/field.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { UtmSection } from '../../parts/utm-section.tsx';
import { hostOf } from '../../short.ts';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { WatchField } from './watch-field.tsx';

/** The link's destinations, name and tags, and its fixed address. */
export function DestinationSection({ form }: { form: LinkForm }) {
  const { link, fields } = form;
  return (
    <section class="form" aria-labelledby="destination-heading">
      <h2 id="destination-heading">Where it leads</h2>
      <div class="with-utm">
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
      <TextField
        {...form.text('name')}
        maxLength={500}
        autocomplete="off"
        hint="Only your organization sees it."
      />
      <TextArea
        {...form.text('notes')}
        maxLength={2000}
        hint="For your organization: who asked for it, where it is printed. Search finds them."
      />
      <TagPicker
        label={labels.tags}
        value={fields.tags}
        error={form.errorOf('tags')}
        onChange={(tags) => form.set('tags', tags)}
      />
      <div class="fixed-address">
        <dl class="fact-list">
          <Fact name="Domain">
            <bdi>{hostOf(link)}</bdi>
          </Fact>
          <Fact name="Suffix">
            <bdi>{link.suffix}</bdi>
          </Fact>
        </dl>
        <p class="soft small">
          Both stay as they are: the link may be in print. Duplicate it to have another address.
        </p>
      </div>
    </section>
  );
}
