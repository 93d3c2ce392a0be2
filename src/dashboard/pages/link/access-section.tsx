import { Switch } from '../../parts/field.tsx';
import { Expiration } from './expiration.tsx';
import type { LinkForm } from './form.ts';
import { Password } from './password.tsx';

/** Which visitors are redirected, and until when. */
export function AccessSection({ form }: { form: LinkForm }) {
  return (
    <section class="form" aria-labelledby="access-heading">
      <h2 id="access-heading">Who may pass</h2>
      <Password form={form} />
      <Expiration form={form} />
      <Switch
        {...form.flag('bot_protection')}
        hint="Bots are turned away. Previews in chats and posts still see the card."
      />
      <Switch
        {...form.flag('captcha')}
        hint="Visitors press a button while their browser does a short sum. Nothing is asked of them, and nothing leaves this service."
      />
    </section>
  );
}
