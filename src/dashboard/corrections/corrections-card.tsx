import { ErrorBox } from '../parts/error-box.tsx';
import { me } from '../session.ts';
import { CardFrame } from '../stats/breakdown-card.tsx';
import type { Scope } from '../stats/scope.ts';
import type { Days } from './calls.ts';
import { CorrectionList, useCorrections } from './correction-list.tsx';
import { EraseClicks } from './erase-clicks.tsx';

interface CardProps {
  readonly scope: Scope;
  readonly days: Days;
  /** Whether the board already shows an error: then the card shows none of its own. */
  readonly isErrorShown: boolean;
}

/** Below a board of statistics: manual corrections of these numbers, and a form to erase some. */
export function CorrectionsCard({ scope, days, isErrorShown }: CardProps) {
  const { corrections, showMore, areLoaded, error, reload } = useCorrections(scope);
  const isAdministrator = me.value?.role === 'administrator';
  if (corrections.length === 0 && !isAdministrator) return null;
  return (
    <CardFrame
      title="Corrections"
      class="corrections"
      segments={isAdministrator && <EraseClicks scope={scope} days={days} />}
    >
      {!isErrorShown && <ErrorBox error={error} onRetry={reload} />}
      {areLoaded && corrections.length === 0 && (
        <p class="soft pad">No clicks have been erased or moved from one kind to another here.</p>
      )}
      {corrections.length > 0 && (
        <CorrectionList scope={scope} corrections={corrections} showMore={showMore} />
      )}
    </CardFrame>
  );
}
