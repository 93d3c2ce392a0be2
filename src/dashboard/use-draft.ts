import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The text of a field. If another user saves another value meanwhile, it is shown unless something was typed. */
export function useDraft(saved: string) {
  const typed = useSignal(saved);
  const before = useRef(saved);
  useLayoutEffect(() => {
    if (typed.value === before.current) typed.value = saved;
    before.current = saved;
  }, [saved]);
  return {
    typed,
    isChanged: typed.value !== saved,
    /** Shows what was stored for `sent`, unless something was typed since then. */
    showStored(sent: string, stored: string) {
      if (typed.value === sent) typed.value = stored;
    },
  };
}
