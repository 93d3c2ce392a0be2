import { Confirm } from '../parts/dialog.tsx';
import { pendingMove } from '../router.ts';

/** Asks before something that was typed is left behind. */
export function Leaving() {
  const move = pendingMove.value;
  if (!move) return null;
  const close = () => {
    pendingMove.value = null;
  };
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
