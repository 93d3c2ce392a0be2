import { AccessSection } from './access-section.tsx';
import { CardLooks } from './card-looks.tsx';
import { CardSection } from './card-section.tsx';
import { DestinationSection } from './destination-section.tsx';
import type { LinkForm } from './form.ts';
import { QrSection } from './qr-section.tsx';

/** Every field of a link: what is typed on the left, what others see of it on the right. */
export function Details({ form }: { form: LinkForm }) {
  return (
    <form
      class="link-form link-details"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void form.save();
      }}
    >
      <DestinationSection form={form} />
      <QrSection form={form} />
      <CardSection form={form} />
      <CardLooks form={form} />
      <AccessSection form={form} />
    </form>
  );
}
