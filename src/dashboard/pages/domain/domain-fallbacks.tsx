import { useLayoutEffect } from 'preact/hooks';
import { useAction } from '../../action.ts';
import type { Domain } from '../../api-types.ts';
import { call } from '../../client.ts';
import { notify } from '../../notices.ts';
import { Form, FormField, Submit } from '../../parts/form.tsx';
import { Section } from '../../parts/section.tsx';
import type { Query } from '../../queries.ts';
import { guardLeaving } from '../../router.ts';
import { useDraft } from '../../use-draft.ts';

/** Where the domain's own address and unknown links redirect. */
export function DomainFallbackForm({ domain, query }: { domain: Domain; query: Query<Domain> }) {
  const root = useDraft(domain.root_url ?? '');
  const unknown = useDraft(domain.not_found_url ?? '');
  const isChanged = root.isChanged || unknown.isChanged;
  // Before the next frame: a user who follows a link as soon as it is saved isn't asked.
  useLayoutEffect(
    () => guardLeaving(() => (isChanged ? 'The destinations are not saved yet.' : null)),
    [isChanged],
  );
  const save = useAction(async () => {
    const [sentRoot, sentUnknown] = [root.typed.value, unknown.typed.value];
    const changed = await call('PATCH /api/v1/domain/{id}', {
      params: { id: domain.id },
      body: {
        ...(root.isChanged && { root_url: sentRoot.trim() || null }),
        ...(unknown.isChanged && { not_found_url: sentUnknown.trim() || null }),
      },
    });
    query.data.value = changed;
    root.showStored(sentRoot, changed.root_url ?? '');
    unknown.showStored(sentUnknown, changed.not_found_url ?? '');
    notify('Saved.');
  });
  return (
    <Section title="Visitors without a link" about="If empty, they see a plain page.">
      <Form action={save} fields={['root_url', 'not_found_url']} canRetry>
        <FormField
          field="root_url"
          label="The domain's own page"
          hint={`Where ${domain.domain_unicode} alone leads.`}
          placeholder="https://example.com"
          spellcheck={false}
          signal={root.typed}
        />
        <FormField
          field="not_found_url"
          label="Unknown links"
          hint="Where an address without a link leads."
          placeholder="https://example.com/lost"
          spellcheck={false}
          signal={unknown.typed}
        />
        <div class="actions">
          <Submit disabled={!isChanged}>Save</Submit>
        </div>
      </Form>
    </Section>
  );
}
