import { useSignal } from '@preact/signals';
import { useAction, useNoticedAction } from '../../../action.ts';
import { sentenceOf } from '../../../api-error.ts';
import type { Link, ScheduledChange } from '../../../api-types.ts';
import { call } from '../../../client.ts';
import { instant, since } from '../../../format.ts';
import { setTo } from '../../../handlers.ts';
import { notify } from '../../../notices.ts';
import { confirmingPrint } from '../../../on-paper.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { CancelAndSubmit, Form } from '../../../parts/form.tsx';
import { Loaded } from '../../../parts/page.tsx';
import { Panel } from '../../../parts/section.tsx';
import { StateChip } from '../../../parts/state-chip.tsx';
import { useTags } from '../../../parts/tags.ts';
import { refresh } from '../../../queries.ts';
import { distanceTo, inDays } from '../local-instant.ts';
import { InstantField } from './instant-field.tsx';
import { useScheduled } from './query.ts';
import { plannedChanges } from './sentences.ts';

/** The scheduled changes of a link, and the results of earlier ones. */
export function Scheduled({ link }: { link: Link }) {
  const query = useScheduled(link);
  const toReschedule = useSignal<ScheduledChange | null>(null);
  const withdrawing = useNoticedAction(async (change: ScheduledChange) => {
    await call('DELETE /api/v1/scheduled_change/{id}', { params: { id: change.id } });
    notify(change.status === 'open' ? 'Withdrawn: the link stays as it is.' : 'Removed from the list.');
  }, 'link scheduled');
  return (
    <Panel
      title="Scheduled"
      about='Make changes under Details, Rules or Webhook, and choose "Save later" in place of "Save changes".'
      class="link-history"
      isFlush
    >
      <Loaded query={query} height={200}>
        {({ scheduled }) =>
          scheduled.length === 0 ? (
            <Empty title="Nothing is scheduled">
              <p>A destination, an end or any other setting can change at a time of your choice.</p>
              <a class="button" href={`/app/links/${link.id}`}>
                Show the details
              </a>
            </Empty>
          ) : (
            <ul>
              {scheduled.map((change) => (
                <Item
                  key={change.id}
                  change={change}
                  isRunning={withdrawing.isRunning.value}
                  onReschedule={setTo(toReschedule, change)}
                  onWithdraw={() => void withdrawing.run(change)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {toReschedule.value && <ChangeTime change={toReschedule.value} onClose={setTo(toReschedule, null)} />}
    </Panel>
  );
}

interface ItemProps {
  readonly change: ScheduledChange;
  readonly isRunning: boolean;
  readonly onReschedule: () => void;
  readonly onWithdraw: () => void;
}

function Item({ change, isRunning, onReschedule, onWithdraw }: ItemProps) {
  const tags = useTags('add_tags' in change.changes || 'remove_tags' in change.changes);
  const isOpen = change.status === 'open';
  return (
    <li class="history-entry">
      <div class="history-line">
        <p>
          <time dateTime={change.at} class="who">
            {instant(change.at)}
          </time>
          <span class="soft small">
            {' '}
            {isOpen ? distanceTo(change.at) : change.done_at && since(change.done_at)}, by{' '}
            <bdi>{change.by ? change.by.name || change.by.email : 'a former member'}</bdi>
            {change.api_key && (
              <>
                , with the API key <bdi>"{change.api_key.name}"</bdi>
              </>
            )}
          </span>{' '}
          {change.status === 'applied' && <StateChip word="Applied" tone="good" icon="check" />}
          {change.status === 'refused' && <StateChip word="Not applied" tone="bad" icon="warning" />}
        </p>
        {change.status !== 'applied' && (
          <div class="actions">
            <Button
              icon="clock"
              isSlim
              aria-label={`${isOpen ? 'Change the time' : 'Try again'}: ${instant(change.at)}`}
              onClick={onReschedule}
            >
              {isOpen ? 'Change the time' : 'Try again'}
            </Button>
            <Button
              icon="close"
              isSlim
              disabled={isRunning}
              aria-label={`${isOpen ? 'Withdraw' : 'Remove'}: ${instant(change.at)}`}
              onClick={onWithdraw}
            >
              {isOpen ? 'Withdraw' : 'Remove'}
            </Button>
          </div>
        )}
      </div>
      {change.refusal && <p class="callout bad">{sentenceOf(change.refusal)}</p>}
      <dl class="stack close history-changes planned">
        {plannedChanges(change, tags.data.value ?? []).map(({ label, words }) => (
          <div key={label}>
            <dt class="soft small">{label}</dt>
            <dd>{words === null ? <span class="soft">None</span> : <ins>{<bdi>{words}</bdi>}</ins>}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

/** Reschedules a change; a refused one is retried. */
function ChangeTime({ change, onClose }: { change: ScheduledChange; onClose: () => void }) {
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
