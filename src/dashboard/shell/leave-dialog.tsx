import { setTo } from '../handlers.ts';
import { Confirm } from '../parts/dialog.tsx';
import { pendingNavigation } from '../router.ts';

/** Asks before what is not saved is lost. */
export function LeaveDialog() {
  const move = pendingNavigation.value;
  if (!move) return null;
  const close = setTo(pendingNavigation, null);
  return (
    <Confirm
      title="Leave this page?"
      sentence={move.sentence}
      action={move.action}
      cancelLabel="Stay here"
      onCancel={close}
      onConfirm={() => {
        close();
        move.go();
      }}
    />
  );
}
