import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { unlessSecondClick } from '../handlers.ts';
import { Button } from './button.tsx';
import { Notices, openDialogs } from './notices.tsx';

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
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Opened before the next paint, to receive what is typed right after that.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const previouslyFocused = document.activeElement;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('[data-focus]')?.focus();
    openDialogs.value = [...openDialogs.value, id];
    return () => {
      openDialogs.value = openDialogs.value.filter((other) => other !== id);
      shown?.close();
      if (previouslyFocused instanceof HTMLElement && previouslyFocused.isConnected)
        previouslyFocused.focus();
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
      <Notices dialog={id} />
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
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly cancelLabel?: string;
}

/** Only for actions that can't be undone. */
export function Confirm({
  title,
  sentence,
  action,
  onConfirm,
  onCancel,
  cancelLabel = 'Cancel',
}: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onCancel}>
      <div class="soft">{sentence}</div>
      <div class="actions">
        <Button onClick={onCancel} data-focus>
          {cancelLabel}
        </Button>
        <Button kind="danger" onClick={unlessSecondClick(onConfirm)}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
