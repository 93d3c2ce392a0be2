import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { number } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { FormErrors } from '../../parts/error-box.tsx';
import { type FieldName, labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { SaveLater } from './scheduled/save-later.tsx';

/** Shown on each tab of the link while there are unsaved changes. */
export function SaveBar({ form, shown }: { form: LinkForm; shown: readonly FieldName[] }) {
  const isThere = form.changed.length > 0;
  const isLater = useSignal(false);
  // The field with the focus must not be hidden below the bar when that appears.
  useEffect(() => {
    const typedIn = isThere ? document.activeElement?.closest('.link-form :is(input, textarea)') : null;
    typedIn?.scrollIntoView({ block: 'nearest' });
  }, [isThere]);
  if (!isThere) return null;
  const isContested = form.error?.code === 'LINK_CHANGED';
  return (
    <>
      <section class="save-bar" aria-label="Unsaved changes">
        {isContested ? (
          <div class="callout">
            <span>Not saved: someone else changed this link in the meantime.</span>
            <Button isSlim disabled={form.isSaving} onClick={() => void form.save()}>
              Show what changed
            </Button>
          </div>
        ) : (
          <FormErrors
            error={form.error}
            fields={[...shown, ...shown.flatMap((name) => further(name, form))]}
            onRetry={() => void form.save()}
          />
        )}
        <div class="save-bar-line">
          <p role="status">
            <strong>
              {number(form.changed.length)} unsaved
              <span class="on-wide"> {form.changed.length === 1 ? 'change' : 'changes'}</span>
            </strong>
            <span class="soft what">{form.changed.map((name) => labels[name]).join(', ')}</span>
          </p>
          <div class="actions">
            <Button disabled={form.isSaving} onClick={() => form.discard()}>
              Discard
            </Button>
            <Button
              disabled={form.isSaving}
              onClick={() => {
                if (form.isReady()) isLater.value = true;
              }}
            >
              Save later
            </Button>
            <Button kind="primary" disabled={form.isSaving} onClick={() => void form.save()}>
              {form.isSaving ? 'Saving changes' : 'Save changes'}
            </Button>
          </div>
        </div>
      </section>
      {isLater.value && <SaveLater form={form} onClose={setTo(isLater, false)} />}
    </>
  );
}

/** The API's other names for what a field shows. */
function further(name: FieldName, { error }: LinkForm): readonly string[] {
  if (name === 'tags') return ['add_tags', 'remove_tags'];
  if (name !== 'rules') return [];
  return error?.problems.flatMap(({ field }) => (field?.startsWith('rules.') ? field : [])) ?? [];
}

interface NotSavedYetProps {
  readonly form: LinkForm;
  /** Of the fields' names. */
  readonly prefix: string;
}

export const NotSavedYet = ({ form, prefix }: NotSavedYetProps) =>
  form.changed.some((name) => name.startsWith(prefix)) && <span class="chip">Not saved yet</span>;
