import { useSignal } from '@preact/signals';
import { useAction } from '../../../action.ts';
import { useCreateOnce } from '../../../create-once.ts';
import { instant } from '../../../format.ts';
import { notify } from '../../../notices.ts';
import { confirmingPrint } from '../../../on-paper.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { CancelAndSubmit, Form } from '../../../parts/form.tsx';
import { refresh } from '../../../queries.ts';
import { navigate } from '../../../router.ts';
import { pageOf } from '../../../short-links.ts';
import { fieldsOf, labels, patchOf } from '../fields.ts';
import type { LinkForm } from '../form.ts';
import { inDays } from '../local-instant.ts';
import { InstantField } from './instant-field.tsx';
import { withFieldNames } from './refused-changes.ts';

/** Schedules the unsaved changes of a link. */
export function SaveLater({ form, onClose }: { form: LinkForm; onClose: () => void }) {
  const at = useSignal<string | null>(inDays(1));
  const { link, changed } = form;
  const createOnce = useCreateOnce();
  const scheduling = useAction(async () => {
    const draft = Object.fromEntries(changed.map((name) => [name, form.fields[name]]));
    const body = { at: at.value ?? '', changes: patchOf(fieldsOf(link), draft) };
    const scheduled = await confirmingPrint((confirm) =>
      createOnce('POST /api/v1/link/{id}/scheduled', { params: { id: link.id }, query: { confirm }, body }),
    ).catch((cause) => {
      throw withFieldNames(cause);
    });
    form.forget();
    onClose();
    refresh('link ');
    const show = () => navigate(`${pageOf(link)}/scheduled`);
    notify(`Scheduled for ${instant(scheduled.at)}.`, { action: { label: 'Show', act: show } });
  });
  return (
    <Dialog title="Save later" onClose={onClose} isFirm={scheduling.isRunning.value}>
      <Form action={scheduling} fields={['at']} canRetry>
        <p class="soft">
          Until then the link stays as it is. What will change:{' '}
          <strong>{changed.map((name) => labels[name]).join(', ')}</strong>.
        </p>
        <InstantField at={at} error={scheduling.error.value?.sentenceFor('at')} />
        <CancelAndSubmit verb="Schedule" isFirm onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
