import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { path } from '../router.ts';
import { Button } from './button.tsx';
import { Page } from './page.tsx';

/** Shows an error when a page throws while it renders; the other pages keep working. */
export function ErrorBoundary({ children }: { children: ComponentChildren }) {
  const [error, retry] = useErrorBoundary();
  const at = path.value;
  useEffect(() => {
    if (error !== undefined) retry();
  }, [at]);
  if (error === undefined) return <>{children}</>;
  return (
    <Page title="This page failed">
      <div class="callout bad" role="alert">
        <span>This is a bug in Linnet. Nothing that was saved is lost, and the other pages still work.</span>
        <div class="actions">
          <Button icon="refresh" isSlim onClick={() => retry()}>
            Try again
          </Button>
          <Button isSlim onClick={() => location.reload()}>
            Reload the page
          </Button>
        </div>
      </div>
    </Page>
  );
}
