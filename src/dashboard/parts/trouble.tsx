import type { Trouble } from '../trouble.ts';
import { Button } from './button.tsx';

/** What went wrong, in the server's own words, and the way to try again where that may help. */
export function TroubleBox({ trouble, onRetry }: { trouble: Trouble; onRetry?: () => void }) {
  return (
    <div class="callout bad" role="alert">
      <span>{trouble.message}</span>
      {onRetry && (
        <Button icon="refresh" isSlim onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** For a form: the problems that no shown field is to blame for. */
export function TroubleBesides({
  trouble,
  fields,
  onRetry,
}: {
  trouble: Trouble | null;
  fields: readonly string[];
  onRetry?: () => void;
}) {
  const rest = trouble?.besides(fields) ?? [];
  if (!trouble || rest.length === 0) return null;
  return (
    <div class="callout bad" role="alert">
      <div>
        {rest.map(({ sentence, field }) => (
          <p key={`${field} ${sentence}`}>{sentence}</p>
        ))}
      </div>
      {onRetry && trouble.isPassing && (
        <Button icon="refresh" isSlim onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
