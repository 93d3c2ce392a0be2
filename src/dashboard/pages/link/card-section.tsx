import { TextArea, TextField } from '../../parts/field.tsx';
import type { LinkForm } from './form.ts';

/** The preview that messengers and social networks show of the link. */
export function CardSection({ form }: { form: LinkForm }) {
  return (
    <section class="form" aria-labelledby="card-heading">
      <div>
        <h2 id="card-heading">Preview card</h2>
        <p class="soft small">What people see where the link is shared, before they open it.</p>
      </div>
      <TextField {...form.text('og_title')} maxLength={300} />
      <TextArea {...form.text('og_description')} maxLength={1000} />
      <TextField
        {...form.text('og_image')}
        type="url"
        spellcheck={false}
        autocomplete="off"
        placeholder="https://example.com/picture.png"
        hint="The address of a picture, at best 1,200 × 630 pixels."
      />
    </section>
  );
}
