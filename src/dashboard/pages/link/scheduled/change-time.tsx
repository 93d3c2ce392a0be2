import { useSignal } from '@preact/signals';
import { useAction } from '../../../action.ts';
import type { ScheduledChange } from '../../../api-types.ts';
import { call } from '../../../client.ts';
import { instant } from '../../../format.ts';
import { notify } from '../../../notices.ts';
import { confirmingPrint } from '../../../on-paper.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { CancelAndSubmit, Form } from '../../../parts/form.tsx';
import { refresh } from '../../../queries.ts';
import { inDays } from '../local-instant.ts';
import { InstantField } from './instant-field.tsx';

/** Reschedules a change; a refused one is retried. */
export function ChangeTime({ change, onClose }: { change: ScheduledChange; onClose: () => void }) {
  const isOpen = change.status === 'open';
  const at = useSignal<string | null>(isOpen ? change.at : inDays(1));
  const changing = useAction(async () => {
    const rescheduled = await confirmingPrint((confirm) =>
      call('PATCH /api/v1/scheduled_change/{id}', {
        params: { id: change.id },
        query: { confirm },
        body: { at: at.value ?? '' },
      }),
    );
    onClose();
    await refresh('link scheduled');
    notify(`Scheduled for ${instant(rescheduled.at)}.`);
  });
  return (
    <Dialog title={isOpen ? 'Change the time' : 'Try again at another time'} onClose={onClose}>
      <Form action={changing} fields={['at']} canRetry>
        <InstantField at={at} error={changing.error.value?.sentenceFor('at')} />
        <CancelAndSubmit verb={isOpen ? 'Change the time' : 'Schedule'} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
