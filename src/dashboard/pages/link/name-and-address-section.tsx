import { TextArea, TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icons.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { Addresses } from './addresses.tsx';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';

/** The organization's name for the link, and where visitors find it. */
export function NameAndAddressSection({ form }: { form: LinkForm }) {
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
          <OfferedName title={link.destination_title} onTake={(title) => form.set('name', title)} />
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

interface OfferedProps {
  readonly title: string;
  readonly onTake: (title: string) => void;
}

/** The title of the destination, offered as the name of a link without one. */
function OfferedName({ title, onTake }: OfferedProps) {
  return (
    <div class="field-more">
      <button type="button" class="button plain slim" onClick={() => onTake(title)}>
        <Icon name="plus" size={16} />
        Use the title of the page
      </button>
      <span class="soft small cut" dir="auto" title={title}>
        {title}
      </span>
    </div>
  );
}
