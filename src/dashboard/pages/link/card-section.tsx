import { TextArea, TextField } from '../../parts/field.tsx';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';

/** What is shown where the link is pasted into a message or a post. */
export function CardSection({ form }: { form: LinkForm }) {
  const { fields } = form;
  return (
    <section class="form" aria-labelledby="card-heading">
      <div>
        <h2 id="card-heading">Preview card</h2>
        <p class="soft small">What people see where the link is shared, before they open it.</p>
      </div>
      <TextField
        label={labels.og_title}
        maxLength={300}
        value={fields.og_title}
        error={form.errorOf('og_title')}
        onText={(text) => form.set('og_title', text)}
      />
      <TextArea
        label={labels.og_description}
        maxLength={1000}
        value={fields.og_description}
        error={form.errorOf('og_description')}
        onText={(text) => form.set('og_description', text)}
      />
      <TextField
        label={labels.og_image}
        type="url"
        spellcheck={false}
        autocomplete="off"
        placeholder="https://example.com/picture.png"
        hint="The address of a picture, at best 1,200 × 630 pixels."
        value={fields.og_image}
        error={form.errorOf('og_image')}
        onText={(text) => form.set('og_image', text)}
      />
    </section>
  );
}
