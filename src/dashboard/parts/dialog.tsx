import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Escape and a click beside it don't close it. */
  readonly isFirm?: boolean;
  readonly class?: string;
}

/** Open as long as it is mounted; then the focus returns to where it was. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // Not after the next picture is drawn: what is typed right after opening it is meant for it.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('[data-focus]')?.focus();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return dialog;
}

export function Dialog({ title, onClose, children, isFirm = false, class: className }: DialogProps) {
  const dialog = useModal();
  const id = useId();
  return (
    <dialog
      ref={dialog}
      class={className}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      onClose={({ currentTarget }) => {
        // The browser may close it without asking, where Escape is pressed again and again.
        if (!currentTarget.isConnected) return;
        if (isFirm) currentTarget.showModal();
        else onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current && !isFirm) onClose();
      }}
    >
      <div class="body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly sentence: ComponentChildren;
  /** A verb with its object. */
  readonly action: string;
  readonly onYes: () => void;
  readonly onNo: () => void;
  readonly keep?: string;
}

/** Only for what can't be undone. */
export function Confirm({ title, sentence, action, onYes, onNo, keep = 'Cancel' }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onNo}>
      <div class="soft">{sentence}</div>
      <div class="actions">
        <Button onClick={onNo} data-focus>
          {keep}
        </Button>
        <Button kind="danger" onClick={onYes}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
