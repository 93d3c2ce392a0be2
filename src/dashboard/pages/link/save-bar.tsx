import { Button } from '../../parts/button.tsx';
import { TroubleBesides } from '../../parts/trouble.tsx';
import { counted } from '../../words.ts';
import { type FieldName, labels } from './fields.ts';
import type { LinkForm } from './form.ts';

/** There as soon as something is unsaved, on each tab of the link. */
export function SaveBar({ form, shown }: { form: LinkForm; shown: readonly FieldName[] }) {
  if (form.changed.length === 0) return null;
  const isUndecided = form.trouble?.code === 'LINK_CHANGED';
  return (
    <section class="save-bar" aria-label="Unsaved changes">
      <TroubleBesides
        trouble={form.trouble}
        fields={isUndecided ? [] : [...shown, ...(shown.includes('tags') ? ['add_tags', 'remove_tags'] : [])]}
        onRetry={() => void form.save()}
      />
      <div class="save-bar-line">
        <p role="status">
          <strong>{counted(form.changed.length, 'unsaved change')}</strong>
          <span class="soft what">{form.changed.map((name) => labels[name]).join(', ')}</span>
        </p>
        <div class="actions">
          <Button disabled={form.isSaving} onClick={() => form.discard()}>
            Discard
          </Button>
          <Button kind="primary" disabled={form.isSaving} onClick={() => void form.save()}>
            {form.isSaving ? 'Saving changes' : 'Save changes'}
          </Button>
        </div>
      </div>
    </section>
  );
}
