import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { number } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { changeNames, type FieldName, labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { SaveLater } from './scheduled/save-later.tsx';

const showFocused = (kinds: string): void =>
  document.activeElement?.closest(`.link-form :is(${kinds})`)?.scrollIntoView({ block: 'nearest' });

/** Shown on each tab of the link while there are unsaved changes. */
export function SaveBar({ form, shown }: { form: LinkForm; shown: readonly FieldName[] }) {
  const hasChanges = form.changed.length > 0;
  const isScheduling = useSignal(false);
  // The focused field must not be hidden below the bar when the bar appears.
  useEffect(() => {
    if (!hasChanges) return;
    showFocused('input, textarea');
    // The browser itself scrolls no more than the caret of a text area into view.
    const onFocus = () => showFocused('textarea');
    addEventListener('focusin', onFocus);
    return () => removeEventListener('focusin', onFocus);
  }, [hasChanges]);
  if (!hasChanges) return null;
  const isConflict = form.error?.code === 'LINK_CHANGED';
  return (
    <>
      <section class="save-bar" aria-label="Unsaved changes">
        {isConflict ? (
          <div class="callout">
            <span>Not saved: someone else changed this link in the meantime.</span>
            <Button isSlim disabled={form.isSaving} onClick={() => void form.save()}>
              Show what changed
            </Button>
          </div>
        ) : form.error?.status === 404 ? (
          <div class="callout bad" role="alert">
            <span>Not saved: the link was deleted in the meantime. Restore it, then save again.</span>
            <a class="button slim" href="/app/links/deleted" target="_blank" rel="noreferrer">
              Show deleted links
            </a>
          </div>
        ) : (
          <ErrorBox
            error={form.error}
            fields={[...shown, ...shown.flatMap((name) => apiNamesOf(name, form))]}
            onRetry={() => void form.save()}
          />
        )}
        <div class="save-bar-line beside">
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
                if (form.isReady()) isScheduling.value = true;
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
      {isScheduling.value && <SaveLater form={form} onClose={setTo(isScheduling, false)} />}
    </>
  );
}

/** The further names by which the API reports problems of a field. */
function apiNamesOf(name: FieldName, { error }: LinkForm): readonly string[] {
  if (name === 'tags' || name === 'aliases') return changeNames[name];
  if (name !== 'rules') return [];
  return error?.problems.flatMap(({ field }) => (field?.startsWith('rules.') ? field : [])) ?? [];
}

interface NotSavedYetProps {
  readonly form: LinkForm;
  /** The prefix of the fields' names. */
  readonly prefix: string;
}

export const NotSavedYet = ({ form, prefix }: NotSavedYetProps) =>
  form.changed.some((name) => name.startsWith(prefix)) && <span class="chip">Not saved yet</span>;
