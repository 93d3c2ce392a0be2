import type { WebhookAttempt } from '../../api-types.ts';
import { number } from '../../words.ts';

const lasted = (milliseconds: number): string =>
  milliseconds < 1000 ? `${number(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

/** "200 in 34 ms", or why no answer came. */
export const outcomeOf = ({ status, problem, duration }: WebhookAttempt): string =>
  status === null
    ? `${problem ?? 'No answer came'} (${lasted(duration)})`
    : `Answered ${status} in ${lasted(duration)}`;

/** What a target answered, with how its answer begins. */
export function AttemptOutcome({ attempt }: { attempt: WebhookAttempt }) {
  return (
    <div class="attempt">
      <strong>{outcomeOf(attempt)}</strong>
      {attempt.answer && (
        <pre>
          <code>{attempt.answer}</code>
        </pre>
      )}
    </div>
  );
}
