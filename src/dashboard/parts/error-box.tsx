import type { ApiError } from '../api-error.ts';
import { Button } from './button.tsx';

/** What went wrong, in the server's own words, and the way to try again where that may help. */
export function ErrorBox({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  return (
    <div class="callout bad" role="alert">
      <span>{error.message}</span>
      {onRetry && (
        <Button icon="refresh" isSlim onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** For a form: the problems that no shown field is to blame for. */
export function FormErrors({
  error,
  fields,
  onRetry,
}: {
  error: ApiError | null;
  fields: readonly string[];
  onRetry?: () => void;
}) {
  const rest = error?.besides(fields) ?? [];
  if (!error || rest.length === 0) return null;
  return (
    <div class="callout bad" role="alert">
      <div>
        {rest.map(({ sentence, field }) => (
          <p key={`${field} ${sentence}`}>{sentence}</p>
        ))}
      </div>
      {onRetry && error.isPassing && (
        <Button icon="refresh" isSlim onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
