import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useAction } from '../action.ts';
import { counted, dayOf } from '../format.ts';
import { setTo } from '../handlers.ts';
import { notify } from '../notices.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { areDays, TwoDays } from '../parts/two-days.tsx';
import { refresh, useQuery } from '../queries.ts';
import { keyOf, type Scope } from '../stats/scope.ts';
import { useDebounced } from '../use-previous.ts';
import { countHits, type Days, erase } from './calls.ts';
import { outcomeOf, toBeErased } from './sentences.ts';

interface EraseProps {
  readonly scope: Scope;
  /** The days that are preselected. */
  readonly days: Days;
}

/** Opens the dialog. */
export function EraseClicks(props: EraseProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <Button icon="trash" isSlim onClick={setTo(isOpen, true)}>
        Erase clicks
      </Button>
      {isOpen.value && <EraseDialog {...props} onClose={setTo(isOpen, false)} />}
    </>
  );
}

function EraseDialog({ scope, days: preselected, onClose }: EraseProps & { readonly onClose: () => void }) {
  const today = dayOf(new Date());
  const isAll = useSignal(preselected === null);
  const from = useSignal(preselected?.from ?? today);
  const to = useSignal(preselected?.to ?? today);
  const days: Days = useMemo(
    () => (isAll.value ? null : { from: from.value, to: to.value }),
    [isAll.value, from.value, to.value],
  );
  const isInvalid = !areChosen(days);
  const { count, error, reload } = useHitCount(scope, days);
  const action = useAction(async () => {
    if (count) notify(outcomeOf(await erase(scope, count)));
    onClose();
  });
  const ofLinks = scope.kind === 'link' ? 'of this link' : 'of all links';
  const { hits = 0 } = count ?? {};
  return (
    <Dialog title={`Erase clicks ${ofLinks}`} onClose={onClose} isFirm={action.isRunning.value}>
      <ErrorBox error={action.error.value} fields={['from', 'to']} />
      <fieldset class="segments erase-span">
        <legend class="unseen">Which clicks</legend>
        <button type="button" aria-pressed={!isAll.value} onClick={setTo(isAll, false)} data-focus>
          Some days
        </button>
        <button type="button" aria-pressed={isAll.value} onClick={setTo(isAll, true)}>
          All of them
        </button>
      </fieldset>
      {!isAll.value && <TwoDays from={from} to={to} error={action.error.value} />}
      {error ? (
        <ErrorBox error={error} onRetry={() => void reload()} />
      ) : (
        <p aria-live="polite">{isInvalid ? 'Choose both days.' : count ? toBeErased(count) : 'Counting…'}</p>
      )}
      <p class="soft small">
        They are removed from every number and list, together with webhook messages about them. This can't be
        undone.
      </p>
      <div class="actions">
        <Button onClick={onClose} disabled={action.isRunning.value}>
          Cancel
        </Button>
        <Button
          kind="danger"
          disabled={isInvalid || hits === 0 || action.isRunning.value}
          onClick={() => void action.run()}
        >
          {hits === 0 ? 'Erase' : `Erase ${counted(hits, 'hit')}`}
        </Button>
      </div>
    </Dialog>
  );
}

const areChosen = (days: Days): boolean => days === null || areDays(days.from, days.to);

/** The number of hits in these days, once they have stopped changing. */
function useHitCount(scope: Scope, days: Days) {
  const settled = useDebounced(days);
  const { data, error, reload } = useQuery(`hits ${keyOf(scope)} ${JSON.stringify(settled)}`, async () =>
    areChosen(settled) ? countHits(scope, settled) : undefined,
  );
  // Each dialog counts anew. After the query's own effect, so that it is no longer in use.
  useEffect(() => () => void refresh('hits'), []);
  const isCurrent = settled === days;
  return {
    count: isCurrent && !error.value ? data.value : undefined,
    error: isCurrent ? error.value : null,
    reload,
  };
}
