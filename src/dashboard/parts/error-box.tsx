import type { ApiError } from '../api-error.ts';
import { Button } from './button.tsx';

interface ErrorTextProps {
  readonly sentence: string | null | undefined;
  readonly id?: string;
}

/** What is wrong with a field or a row; nothing without a sentence. */
export const ErrorText = ({ sentence, id }: ErrorTextProps) =>
  sentence ? (
    <p class="error" id={id} role="alert">
      {sentence}
    </p>
  ) : null;

interface ErrorBoxProps {
  readonly error: ApiError | null;
  /** The API's names of the fields that show their own problems. */
  readonly fields?: readonly string[];
  readonly onRetry?: () => void;
}

/** An error in the API's words, without the problems that fields show, and a button to retry if that may help. */
export function ErrorBox({ error, fields = [], onRetry }: ErrorBoxProps) {
  const rest = error?.problemsOutside(fields) ?? [];
  if (!error || rest.length === 0) return null;
  return (
    <div class="callout bad" role="alert">
      <div>
        {rest.map(({ sentence, field }) => (
          <p key={`${field} ${sentence}`}>{sentence}</p>
        ))}
      </div>
      {onRetry && error.isTransient && (
        <Button icon="refresh" isSlim onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
