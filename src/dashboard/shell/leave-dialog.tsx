import { setTo } from '../handlers.ts';
import { Confirm } from '../parts/dialog.tsx';
import { pendingMove } from '../router.ts';

/** Asks before changes that are not saved are lost. */
export function LeaveDialog() {
  const move = pendingMove.value;
  if (!move) return null;
  const close = setTo(pendingMove, null);
  return (
    <Confirm
      title="Leave this page?"
      sentence={move.sentence}
      action="Discard changes"
      keep="Stay here"
      onNo={close}
      onYes={() => {
        close();
        move.go();
      }}
    />
  );
}
