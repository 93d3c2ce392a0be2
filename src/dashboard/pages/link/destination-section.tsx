import { TextField } from '../../parts/field.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { hostOf } from '../../short.ts';
import { type Draft, labels } from './fields.ts';
import type { LinkForm } from './form.ts';

type TextName = {
  [Name in keyof Draft]-?: NonNullable<Draft[Name]> extends string ? Name : never;
}[keyof Draft];

/** Where the link leads, and what it is called among its owners. */
export function DestinationSection({ form }: { form: LinkForm }) {
  const { link, fields } = form;
  const text = (name: Exclude<TextName, 'password' | 'expiration_date'>) => ({
    label: labels[name],
    value: fields[name],
    error: form.errorOf(name),
    onText: (typed: string) => form.set(name, typed),
  });
  return (
    <section class="form" aria-labelledby="destination-heading">
      <h2 id="destination-heading">Where it leads</h2>
      <TextField {...text('destination_url')} type="url" required spellcheck={false} autocomplete="off" />
      <TextField
        {...text('android_link_destination')}
        type="url"
        spellcheck={false}
        autocomplete="off"
        placeholder="Same as everywhere"
      />
      <TextField
        {...text('ios_link_destination')}
        type="url"
        spellcheck={false}
        autocomplete="off"
        placeholder="Same as everywhere"
      />
      <TextField
        {...text('name')}
        maxLength={500}
        autocomplete="off"
        hint="Only your organization sees it."
      />
      <TagPicker
        label={labels.tags}
        value={fields.tags}
        error={form.errorOf('tags')}
        onChange={(tags) => form.set('tags', tags)}
      />
      <div class="fixed-address">
        <dl>
          <div>
            <dt>Domain</dt>
            <dd>
              <bdi>{hostOf(link)}</bdi>
            </dd>
          </div>
          <div>
            <dt>Suffix</dt>
            <dd>
              <bdi>{link.suffix}</bdi>
            </dd>
          </div>
        </dl>
        <p class="soft small">
          Both stay as they are: the link may be in print. Duplicate it to have another address.
        </p>
      </div>
    </section>
  );
}
