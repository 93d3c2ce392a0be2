import type { DeletedLink } from '../../api-types.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { shortOf } from '../../short.ts';
import { counted } from '../../words.ts';

interface ForGoodProps {
  /** One of them, or all. */
  readonly what: DeletedLink | 'all';
  readonly total: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

const whatStays =
  "This can't be undone. Clicks stay in your statistics, and nobody else gets an address before its 30 days are over.";

export function ConfirmForGood({ what, total, onYes, onNo }: ForGoodProps) {
  return what === 'all' ? (
    <Confirm
      title="Empty the bin?"
      sentence={`${counted(total, 'deleted link')} can no longer be brought back then. ${whatStays}`}
      action="Empty the bin"
      onYes={onYes}
      onNo={onNo}
    />
  ) : (
    <Confirm
      title={`Delete ${shortOf(what)} for good?`}
      sentence={`It can no longer be brought back then. ${whatStays}`}
      action="Delete for good"
      onYes={onYes}
      onNo={onNo}
    />
  );
}
