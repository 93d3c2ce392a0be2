import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../action.ts';
import { type ApiError, asApiError } from '../api-error.ts';
import { counted, dayOf } from '../format.ts';
import { setTo } from '../handlers.ts';
import { notify } from '../notices.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorBox, FormErrors } from '../parts/error-box.tsx';
import { areDays, TwoDays } from '../parts/two-days.tsx';
import type { Scope } from '../stats/scope.ts';
import { countHits, type Days, erase, type HitCount } from './calls.ts';
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
  const isInvalid = !isAll.value && !areDays(from.value, to.value);
  const days: Days = isAll.value ? null : { from: from.value, to: to.value };
  const { count, error, retry } = useHitCount(scope, days, isInvalid);
  const action = useAction(async () => {
    notify(outcomeOf(await erase(scope, days)));
    onClose();
  });
  const ofLinks = scope.kind === 'link' ? 'of this link' : 'of all links';
  const { hits = 0 } = count ?? {};
  return (
    <Dialog title={`Erase clicks ${ofLinks}`} onClose={onClose} isFirm={action.isRunning.value}>
      <FormErrors error={action.error.value} fields={['from', 'to']} />
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
        <ErrorBox error={error} onRetry={retry} />
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

interface Counting {
  /** Undefined until known. */
  readonly count?: HitCount;
  readonly error?: ApiError;
  retry(): void;
}

function useHitCount(scope: Scope, days: Days, isInvalid: boolean): Counting {
  const loaded = useSignal<Pick<Counting, 'count' | 'error'> & { readonly key?: string }>({});
  const key = JSON.stringify(days);
  const retry = setTo(loaded, {});
  const isNeeded = !isInvalid && loaded.value.key !== key;
  useEffect(() => {
    if (!isNeeded) return;
    let isCurrent = true;
    const load = async () => {
      const result = await countHits(scope, days).then(
        (count) => ({ key, count }),
        (cause) => ({ key, error: asApiError(cause) }),
      );
      if (isCurrent) loaded.value = result;
    };
    const timer = setTimeout(() => void load(), 150);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, isNeeded]);
  return isNeeded || isInvalid ? { retry } : { ...loaded.value, retry };
}
