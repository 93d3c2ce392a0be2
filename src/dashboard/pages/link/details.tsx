import { withUtm } from '../../../rules/destinations/utm.ts';
import { Switch, TextArea, TextField, UrlField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icons.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { UtmSection } from '../../parts/utm-section.tsx';
import { Addresses } from './addresses.tsx';
import { CardPreviews } from './card-previews.tsx';
import { ClickLimitField } from './click-limit-field.tsx';
import { DateField } from './date-field.tsx';
import { labels } from './fields.ts';
import { FieldsForm } from './fields-form.tsx';
import type { LinkForm } from './form.ts';
import { Password } from './password.tsx';
import { QrSection } from './qr-section.tsx';
import { WatchField } from './watch-field.tsx';

/** Every field of a link, and previews of its QR code and its card. */
export function Details({ form }: { form: LinkForm }) {
  return (
    <FieldsForm form={form} class="link-details">
      <DestinationSection form={form} />
      <QrSection form={form} />
      <NameAndAddressSection form={form} />
      <CardSection form={form} />
      <CardPreviews form={form} />
      <AccessSection form={form} />
      <RecordSection form={form} />
    </FieldsForm>
  );
}

/** The link's destinations. */
function DestinationSection({ form }: { form: LinkForm }) {
  const { fields } = form;
  return (
    <section class="form" aria-labelledby="destination-heading">
      <h2 id="destination-heading">Where it leads</h2>
      <div class="field-with-more">
        <UrlField {...form.text('destination_url')} required />
        <UtmSection
          destinations={[fields.destination_url]}
          onChange={(changes) => form.set('destination_url', withUtm(fields.destination_url, changes))}
        />
      </div>
      {(['android_link_destination', 'ios_link_destination'] as const).map((name) => (
        <UrlField key={name} {...form.text(name)} placeholder="Same as everywhere" />
      ))}
      <WatchField form={form} />
    </section>
  );
}

/** The organization's name for the link, and where visitors find it. */
function NameAndAddressSection({ form }: { form: LinkForm }) {
  const { link, fields } = form;
  return (
    <section class="form" aria-labelledby="name-heading">
      <h2 id="name-heading">Name and address</h2>
      <div class="field-with-more">
        <TextField
          {...form.text('name')}
          maxLength={500}
          autocomplete="off"
          hint="Only your organization sees it."
        />
        {link.destination_title && fields.name === '' && (
          <OfferedName title={link.destination_title} form={form} />
        )}
      </div>
      <TextArea
        {...form.text('notes')}
        maxLength={2000}
        hint="For your organization: who requested it, where it is printed. Search finds them."
      />
      <TagPicker
        label={labels.tags}
        value={fields.tags}
        error={form.errorOf('tags')}
        onChange={(tags) => form.set('tags', tags)}
      />
      <Addresses form={form} />
    </section>
  );
}

/** The title of the destination, offered as the name of a link without one. */
function OfferedName({ title, form }: { title: string; form: LinkForm }) {
  return (
    <div class="field-more beside">
      <button type="button" class="button plain slim" onClick={() => form.set('name', title)}>
        <Icon name="plus" size={16} />
        Use the title of the page
      </button>
      <span class="soft small cut" dir="auto" title={title}>
        {title}
      </span>
    </div>
  );
}

/** Which visitors are redirected, from when on, and until when. */
function AccessSection({ form }: { form: LinkForm }) {
  return (
    <section class="form" aria-labelledby="access-heading">
      <h2 id="access-heading">Access</h2>
      <Switch
        {...form.flag('disabled')}
        hint="Visitors are told that the link has ended, as soon as you save. Turn it off again, and the link works as before."
      />
      <Password form={form} />
      <DateField form={form} name="start_date" />
      <UrlField {...form.text('before_start_url')} placeholder="A page that says when it starts" />
      <DateField form={form} name="expiration_date" />
      <ClickLimitField form={form} />
      <UrlField {...form.text('expired_url')} placeholder="A page that says that it has ended" />
      <Switch
        {...form.flag('bot_protection')}
        hint="Bots are refused. Previews in chats and posts still see the card."
      />
      <Switch
        {...form.flag('captcha')}
        hint="Visitors press a button while their browser does a short calculation. They don't have to solve anything, and no other service is involved."
      />
    </section>
  );
}

/** What is stored about visitors. */
function RecordSection({ form }: { form: LinkForm }) {
  return (
    <section class="form" aria-labelledby="record-heading">
      <h2 id="record-heading">What is recorded</h2>
      <Switch
        {...form.flag('statistics')}
        hint="If turned off, nothing about visitors is recorded from then on, not even the time: there is a total of clicks, and nothing in statistics, visits, exports and webhooks."
      />
    </section>
  );
}

/** The preview that messengers and social networks show of the link. */
function CardSection({ form }: { form: LinkForm }) {
  return (
    <section class="form" aria-labelledby="card-heading">
      <div>
        <h2 id="card-heading">Preview card</h2>
        <p class="soft small">What people see where the link is shared, before they open it.</p>
      </div>
      <TextField {...form.text('og_title')} maxLength={300} />
      <TextArea {...form.text('og_description')} maxLength={1000} />
      <UrlField
        {...form.text('og_image')}
        placeholder="https://example.com/picture.png"
        hint="The address of a picture, at best 1,200 × 630 pixels."
      />
    </section>
  );
}
