import { useSignal } from '@preact/signals';
import { say } from '../notices.ts';
import { Button, IconButton } from './button.tsx';

/** Also on plain http, where browsers keep the clipboard's own interface away from pages. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.className = 'unseen';
    const host = document.querySelector('dialog[open]') ?? document.body;
    host.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

interface CopyProps {
  readonly text: string;
  /** What is copied, after "Copy ". */
  readonly what: string;
  readonly isBare?: boolean;
  readonly isSlim?: boolean;
}

export function CopyButton({ text, what, isBare = false, isSlim = false }: CopyProps) {
  const isCopied = useSignal(false);
  const copy = async () => {
    if (!(await copyText(text))) {
      say(`This browser doesn't let pages copy. Select the ${what} and copy it by hand.`, {
        isError: true,
      });
      return;
    }
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 1_600);
  };
  const icon = isCopied.value ? 'check' : 'copy';
  return (
    <>
      {isBare ? (
        <IconButton icon={icon} label={`Copy ${what}`} isSlim={isSlim} onClick={copy} />
      ) : (
        <Button icon={icon} isSlim={isSlim} onClick={copy}>
          {isCopied.value ? 'Copied' : `Copy ${what}`}
        </Button>
      )}
      <span class="unseen" role="status">
        {isCopied.value ? 'Copied' : ''}
      </span>
    </>
  );
}
