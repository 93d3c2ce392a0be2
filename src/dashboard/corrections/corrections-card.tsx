import { me } from '../session.ts';
import { CardFrame } from '../stats/breakdown-card.tsx';
import type { Scope } from '../stats/scope.ts';
import type { Days } from './calls.ts';
import { CorrectionList, useCorrections } from './correction-list.tsx';
import { EraseClicks } from './erase-clicks.tsx';

/** Below a board of statistics: manual corrections of these numbers, and a form to erase some. */
export function CorrectionsCard({ scope, days }: { readonly scope: Scope; readonly days: Days }) {
  const { corrections, showMore } = useCorrections(scope);
  const isAdministrator = me.value?.role === 'administrator';
  if (corrections.length === 0 && !isAdministrator) return null;
  return (
    <CardFrame
      title="Corrections"
      class="corrections"
      segments={isAdministrator && <EraseClicks scope={scope} days={days} />}
    >
      {corrections.length === 0 ? (
        <p class="soft pad">No clicks have been erased or moved from one kind to another here.</p>
      ) : (
        <CorrectionList scope={scope} corrections={corrections} showMore={showMore} />
      )}
    </CardFrame>
  );
}
