import type { Link } from '../../api-types.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Panel } from '../../parts/section.tsx';
import { SecretField } from './secret-field.tsx';

/** The key by which a Zap subscribes to the clicks of this one link. */
export function Zapier({ link }: { link: Link }) {
  const command = `curl -X POST ${location.origin}/api/v1/zapier/hooks \\
  -H "api-key: YOUR_ZAPIER_KEY" -H "content-type: application/json" \\
  -d '{"target_url": "THE_ADDRESS_FROM_ZAPIER"}'`;
  return (
    <Panel
      title="Zapier"
      class="zapier"
      aside={
        <span class={link.zapier_webhook_url_new_click ? 'chip good' : 'chip'}>
          {link.zapier_webhook_url_new_click ? 'Connected' : 'Not connected'}
        </span>
      }
    >
      {link.zapier_webhook_url_new_click && (
        <p>
          Clicks go to <bdi>{link.zapier_webhook_url_new_click}</bdi>
        </p>
      )}
      <SecretField
        label="Zapier key"
        hint="It allows subscribing to the clicks of this one link, and nothing else."
        value={link.zapier_key}
      >
        <CopyButton text={link.zapier_key} what="Zapier key" isBare />
      </SecretField>
      <details>
        <summary>How to connect a Zap</summary>
        <ol class="stack tight">
          <li>
            In Zapier, create a Zap with the trigger <em>Webhooks by Zapier → Catch Hook</em>. It shows an
            address.
          </li>
          <li>
            Tell Linnet to send the clicks there:
            <pre>
              <code>{command}</code>
            </pre>
          </li>
          <li>Click your link once, then press Test trigger in Zapier.</li>
        </ol>
        <p class="soft small">
          One Zap per link: a second replaces the first. The{' '}
          <a href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>{' '}
          has the routes under /api/v1/zapier, and docs/zapier.md, which comes with Linnet, the whole way.
        </p>
      </details>
    </Panel>
  );
}
