import { useEffect, useRef } from 'preact/hooks';
import { destinationsIn, looksLikeAddress } from './destinations.ts';

/** What is pasted beside every field, and is an address, is meant for the field that makes links. */
export function usePasteAnywhere(take: (text: string) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const { target } = event;
      const isElsewhere =
        target instanceof Element && target.closest('input, textarea, select, [contenteditable]');
      if (event.defaultPrevented || isElsewhere || document.querySelector('dialog[open]')) return;
      const pasted = destinationsIn(event.clipboardData?.getData('text/plain') ?? '');
      if (pasted.length === 0 || !pasted.every(looksLikeAddress)) return;
      event.preventDefault();
      latest.current(pasted.join('\n'));
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, []);
}
