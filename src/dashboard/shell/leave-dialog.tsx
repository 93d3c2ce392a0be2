import { setTo } from '../handlers.ts';
import { Confirm } from '../parts/dialog.tsx';
import { pendingNavigation } from '../router.ts';

/** Asks before changes that are not saved are lost. */
export function LeaveDialog() {
  const move = pendingNavigation.value;
  if (!move) return null;
  const close = setTo(pendingNavigation, null);
  return (
    <Confirm
      title="Leave this page?"
      sentence={move.sentence}
      action="Discard changes"
      cancelLabel="Stay here"
      onCancel={close}
      onConfirm={() => {
        close();
        move.go();
      }}
    />
  );
}
