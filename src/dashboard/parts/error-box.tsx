import type { ApiError } from '../api-error.ts';
import { Button } from './button.tsx';

/** The error in the API's words, and a button to try again. */
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

/** For a form: the problems of no shown field. */
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
