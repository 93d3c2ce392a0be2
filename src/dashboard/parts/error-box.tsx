import type { ComponentChildren } from 'preact';
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

interface CalloutProps {
  readonly onRetry: (() => void) | undefined;
  readonly children: ComponentChildren;
}

function Callout({ onRetry, children }: CalloutProps) {
  return (
    <div class="callout bad" role="alert">
      {children}
      {onRetry && (
        <Button icon="refresh" isSlim onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The error in the API's words, and a button to retry if that may help. */
export const ErrorBox = ({ error, onRetry }: { error: ApiError; onRetry: () => void }) => (
  <Callout onRetry={error.isTransient ? onRetry : undefined}>
    <span>{error.message}</span>
  </Callout>
);

interface FormErrorsProps {
  readonly error: ApiError | null;
  readonly fields?: readonly string[];
  readonly onRetry?: () => void;
}

/** The problems that none of the form's fields shows. */
export function FormErrors({ error, fields = [], onRetry }: FormErrorsProps) {
  const rest = error?.problemsOutside(fields) ?? [];
  if (!error || rest.length === 0) return null;
  return (
    <Callout onRetry={error.isTransient ? onRetry : undefined}>
      <div>
        {rest.map(({ sentence, field }) => (
          <p key={`${field} ${sentence}`}>{sentence}</p>
        ))}
      </div>
    </Callout>
  );
}
