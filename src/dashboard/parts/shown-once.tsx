import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly about: string;
  readonly secret: string;
  /** What the secret is, after "Copy ". */
  readonly what: string;
  readonly onClose: () => void;
}

/** A secret that is not shown again, to be copied. */
export function ShownOnce({ title, about, secret, what, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose} isFirm>
      <p class="soft">{about}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      <div class="actions">
        <CopyButton text={secret} what={what} />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
