import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { setTo } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import type { LinkForm } from './form.ts';
import { SecretField } from './secret-field.tsx';

/** Sets, changes or removes the password; the stored one is never shown. */
export function Password({ form }: { form: LinkForm }) {
  const isTyping = useSignal(false);
  const id = useId();
  useEffect(() => {
    isTyping.value = false;
  }, [form.link.updated_at]);
  const { link, fields } = form;
  const typed = fields.password;
  const isOpen = isTyping.value || (typed !== null && typed !== '');
  const keep = () => {
    isTyping.value = false;
    form.set('password', '');
  };
  if (isOpen && typed !== null)
    return (
      <div class="field">
        <SecretField
          label={link.has_password ? 'New password' : 'Password'}
          autocomplete="new-password"
          value={typed}
          maxLength={256}
          autoFocus={isTyping.value}
          hint="It isn't shown again after it is saved. Give it to those who may open the link."
          error={form.errorOf('password')}
          onText={(text) => form.set('password', text)}
        />
        <div class="actions">
          <Button isSlim onClick={keep}>
            {link.has_password ? 'Keep the old password' : 'Set no password'}
          </Button>
        </div>
      </div>
    );
  return (
    <div class="field" role="group" aria-labelledby={id}>
      <span class="label" id={id}>
        Password
      </span>
      <p class="soft">{wordsFor(link.has_password, typed === null)}</p>
      <div class="actions">
        {typed === null ? (
          <Button isSlim onClick={keep}>
            Keep the password
          </Button>
        ) : (
          <Button icon="lock" isSlim onClick={setTo(isTyping, true)}>
            {link.has_password ? 'Change password' : 'Set a password'}
          </Button>
        )}
        {link.has_password && typed !== null && (
          <Button isSlim kind="danger" onClick={() => form.set('password', null)}>
            Remove password
          </Button>
        )}
      </div>
    </div>
  );
}

function wordsFor(hasPassword: boolean, isRemoved: boolean): string {
  if (isRemoved) return 'The password is removed when you save.';
  return hasPassword ? 'Visitors are asked for a password.' : 'Anyone who has the link can open it.';
}
