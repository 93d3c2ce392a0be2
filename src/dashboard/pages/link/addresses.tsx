import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Link } from '../../api-types.ts';
import { storeIn, whenFocusLeaves } from '../../handlers.ts';
import { useOwnDomains } from '../../own-domains.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { type Choice, SelectField, TextField } from '../../parts/field.tsx';
import { setup } from '../../session.ts';
import { hostOf, readableAddress, shortOf } from '../../short-links.ts';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';

/** The link's own address, and the aliases that lead here as well. */
export function Addresses({ form }: { form: LinkForm }) {
  const { link, fields } = form;
  const { domains, pending } = useDomains(link);
  const isMoved = form.changed.includes('suffix') || form.changed.includes('domain');
  return (
    <div class="stack tight">
      <div class="field-grid">
        {domains.length > 1 && (
          <SelectField
            label={labels.domain}
            value={fields.domain}
            choices={domains}
            error={form.errorOf('domain')}
            onChoice={(domain) => form.set('domain', domain)}
          />
        )}
        <TextField
          {...form.text('suffix')}
          required
          maxLength={600}
          autocomplete="off"
          spellcheck={false}
          hint={isMoved ? undefined : `What comes after ${hostOf(fields)}/`}
        />
      </div>
      {isMoved && (
        <p class="soft small" role="status">
          <bdi>{shortOf(link)}</bdi> continues to work, as an alias.
        </p>
      )}
      <Aliases form={form} domains={[...domains, ...pending]} />
    </div>
  );
}

/** The domains for the link: the service's own, the organization's, and its current one; and those that are not verified yet. */
function useDomains(link: Link): {
  readonly domains: readonly Choice[];
  readonly pending: readonly Choice[];
} {
  const { own, pending } = useOwnDomains();
  const [, scheme = '', port = ''] = /^(https?:\/\/).*?(:\d+)?$/.exec(link.domain) ?? [];
  const service = setup.value?.default_domain ?? '';
  const withScheme = ({ value, label }: Choice) => ({ value: `${scheme}${value}${port}`, label });
  const choices = [{ value: `${scheme}${service}`, label: service }, ...own.map(withScheme)];
  return {
    domains: choices.some(({ value }) => value === link.domain)
      ? choices
      : [{ value: link.domain, label: hostOf(link) }, ...choices],
    pending: pending.map(withScheme),
  };
}

/**
 * The address that a typed alias stands for: a suffix of the link's domain, or an address with or without its scheme. One on a domain
 * that is not verified yet is refused by the API; taken for a suffix, it would be another address.
 */
function addressOf(text: string, domain: string, domains: readonly Choice[]): string {
  if (/^https?:\/\//i.test(text)) return text;
  const own = domains.find(({ label }) => text.toLowerCase().startsWith(`${label.toLowerCase()}/`));
  return own ? own.value + text.slice(own.label.length) : `${domain}/${text.replace(/^\//, '')}`;
}

function Aliases({ form, domains }: { form: LinkForm; domains: readonly Choice[] }) {
  const typed = useSignal('');
  const { aliases, domain } = form.fields;
  const add = () => {
    const text = typed.value.trim();
    if (text === '') return;
    const address = addressOf(text, domain, domains);
    if (!aliases.map(readableAddress).includes(readableAddress(address)))
      form.set('aliases', [...aliases, address]);
    typed.value = '';
  };
  const input = useRef<HTMLDivElement>(null);
  const remove = (alias: string) => {
    form.set(
      'aliases',
      aliases.filter((one) => one !== alias),
    );
    input.current?.querySelector('input')?.focus();
  };
  return (
    <>
      {aliases.length > 0 && (
        <div class="alias-list">
          <p class="soft small">Aliases, which lead here too</p>
          <ul class="aliases" aria-label={labels.aliases}>
            {aliases.map((alias) => (
              <li key={alias} class="beside">
                <bdi class="cut" title={readableAddress(alias)}>
                  {readableAddress(alias)}
                </bdi>
                <IconButton
                  isSlim
                  icon="close"
                  label={`Remove ${readableAddress(alias)}`}
                  onClick={() => remove(alias)}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="new-alias" ref={input} onFocusOut={whenFocusLeaves(add)}>
        <TextField
          label={aliases.length > 0 ? 'Another alias' : 'Alias'}
          value={typed.value}
          autocomplete="off"
          spellcheck={false}
          placeholder="another-suffix"
          hint="Also leads here: a suffix on the same domain, or a whole address on another of yours."
          error={form.errorOf('aliases')}
          onText={storeIn(typed)}
          onKeyDown={(event) => {
            const isEnter = event.key === 'Enter' && !event.isComposing;
            const isWithCtrl = event.ctrlKey || event.metaKey;
            if (typed.value.trim() === '' || !(isEnter || (isWithCtrl && event.key.toLowerCase() === 's')))
              return;
            // With Ctrl these keys save the form: what was typed here is saved too.
            if (!isWithCtrl) event.preventDefault();
            add();
          }}
        />
        <Button icon="plus" disabled={typed.value.trim() === ''} onClick={add}>
          Add
        </Button>
      </div>
    </>
  );
}
