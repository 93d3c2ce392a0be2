import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import type { LinkForm } from './form.ts';
import { SecretField } from './secret-field.tsx';

const keyLength = 24;

/** In the form of Standard Webhooks. */
const newKey = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(keyLength))))}`;

export function WebhookKey({ form }: { form: LinkForm }) {
  const key = form.fields.webhook_auth_key;
  return (
    <div class="field">
      <SecretField
        {...form.text('webhook_auth_key')}
        autocomplete="new-password"
        maxLength={256}
        placeholder="None: posts are not signed"
        hint={
          <span>
            With a key every post is signed as{' '}
            <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
              Standard Webhooks
            </a>{' '}
            say, so that your server can tell it was Linnet.
          </span>
        }
      >
        {key !== '' && <CopyButton text={key} what="webhook key" isBare />}
      </SecretField>
      <div class="actions">
        <Button icon="key" isSlim onClick={() => form.set('webhook_auth_key', newKey())}>
          {key === '' ? 'Generate a key' : 'Generate another key'}
        </Button>
        {key !== '' && (
          <Button isSlim kind="plain" onClick={() => form.set('webhook_auth_key', '')}>
            Remove key
          </Button>
        )}
      </div>
    </div>
  );
}
