import { useEffect, useRef } from 'preact/hooks';

const isVisible = (): boolean => document.visibilityState === 'visible';

/** Calls `act` every `interval` milliseconds while the window is visible; never while `interval` is null. */
export function useIntervalWhileVisible(act: () => void, interval: number | null): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (interval === null) return;
    const timer = setInterval(() => isVisible() && latest.current(), interval);
    return () => clearInterval(timer);
  }, [interval]);
}

/** Calls `act` when the window becomes visible again. */
export function useWhenVisibleAgain(act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const onChange = () => isVisible() && latest.current();
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
}
