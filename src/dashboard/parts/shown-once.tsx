import { useEffect } from 'preact/hooks';
import { unlessSecondClick } from '../handlers.ts';
import { guardLeaving } from '../router.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly about: string;
  readonly secret: string;
  /** What the secret is, after "Copy " and "The ". */
  readonly what: string;
  readonly onClose: () => void;
}

/** A secret that is not shown again, to be copied. */
export function ShownOnce({ title, about, secret, what, onClose }: ShownOnceProps) {
  useEffect(() => guardLeaving(() => `The ${what} is not shown again.`, 'Leave this page'), [what]);
  return (
    <Dialog title={title} onClose={onClose} isFirm>
      <p class="soft">{about}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      <div class="actions">
        <CopyButton text={secret} what={what} />
        <Button kind="primary" onClick={unlessSecondClick(onClose)}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
