import { useSignal } from '@preact/signals';
import { setTo } from '../handlers.ts';
import { notify } from '../notices.ts';
import { Button, IconButton } from './button.tsx';

/** Works on plain http too, where pages have no `navigator.clipboard`. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.dataset.passing = '';
    area.className = 'unseen';
    const host = document.querySelector('dialog[open]') ?? document.body;
    host.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/**
 * Copies the text of a pending promise. Some browsers let a page write to the clipboard only while it handles a key or a click, so the
 * promise is passed at once.
 */
export async function copyWhenReady(promise: Promise<string>): Promise<boolean> {
  try {
    const content = promise.then((text) => new Blob([text], { type: 'text/plain' }));
    // A browser that refuses to write doesn't wait for it: its rejection would be unhandled.
    content.catch(() => {});
    const item = new ClipboardItem({ 'text/plain': content });
    await navigator.clipboard.write([item]);
    return true;
  } catch {
    return promise.then(copyText, () => false);
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
      const help = `Select the ${what} and copy it by hand.`;
      return notify(`This browser doesn't let pages copy. ${help}`, { isError: true });
    }
    isCopied.value = true;
    setTimeout(setTo(isCopied, false), 1_600);
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
