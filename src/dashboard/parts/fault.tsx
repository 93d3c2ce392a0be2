import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { path } from '../router.ts';
import { Button } from './button.tsx';

/** A page that breaks while it is drawn says so: the others go on working. */
export function Fault({ children }: { children: ComponentChildren }) {
  const [error, retry] = useErrorBoundary();
  const at = path.value;
  useEffect(() => {
    if (error !== undefined) retry();
  }, [at]);
  if (error === undefined) return <>{children}</>;
  return (
    <div class="callout bad" role="alert">
      <span>This page broke: that is a fault of Linnet, and nothing that was saved is lost.</span>
      <div class="actions">
        <Button icon="refresh" isSlim onClick={() => retry()}>
          Try again
        </Button>
        <Button isSlim onClick={() => location.reload()}>
          Load the page anew
        </Button>
      </div>
    </div>
  );
}
