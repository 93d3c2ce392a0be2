import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface ModalProps {
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Escape and a click beside it don't close it. */
  readonly isFirm?: boolean;
  readonly class?: string | undefined;
  readonly 'aria-label'?: string;
  readonly 'aria-labelledby'?: string;
}

/** Open as long as it is mounted; then the focus returns to where it was. */
export function Modal({ onClose, isFirm = false, children, ...rest }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next paint: what is typed right after opening it is meant for it.
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
  return (
    <dialog
      ref={dialog}
      {...rest}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      onClose={({ currentTarget }) => {
        // The browser may close it without asking, after Escape was pressed repeatedly.
        if (!currentTarget.isConnected) return;
        if (isFirm) currentTarget.showModal();
        else onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current && !isFirm) onClose();
      }}
    >
      {children}
    </dialog>
  );
}

interface DialogProps extends Omit<ModalProps, 'aria-label' | 'aria-labelledby'> {
  readonly title: string;
}

export function Dialog({ title, children, ...rest }: DialogProps) {
  const id = useId();
  return (
    <Modal aria-labelledby={id} {...rest}>
      <div class="body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </Modal>
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

/** Only for actions that can't be undone. */
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
