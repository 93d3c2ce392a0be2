import { sentenceOf } from '../../../api-error.ts';
import type { LinkHistoryEntry } from '../../../api-types.ts';
import { instant, since } from '../../../format.ts';
import { Button } from '../../../parts/button.tsx';
import {
  actionText,
  actorName,
  type Change,
  channelText,
  labelOf,
  textDifference,
  valueText,
} from './sentences.ts';

interface EntryProps {
  readonly entry: LinkHistoryEntry;
  /** Absent if the link is in the same state now. */
  readonly onRestore: (() => void) | undefined;
  readonly isRunning: boolean;
}

/** One change of a link: who made it, when, and the old and new values. */
export function Entry({ entry, onRestore, isRunning }: EntryProps) {
  const channel = channelText(entry);
  return (
    <li class="history-entry">
      <div class="history-line">
        <p>
          <bdi class="who">{actorName(entry)}</bdi> {actionText(entry)}
          <span class="soft small">
            {' '}
            <time dateTime={entry.at} title={instant(entry.at)}>
              {since(entry.at)}
            </time>
            {channel && (
              <>
                , <bdi>{channel}</bdi>
              </>
            )}
          </span>
        </p>
        {onRestore && (
          <Button
            icon="undo"
            isSlim
            disabled={isRunning}
            aria-label={`Back to this: ${instant(entry.at)}`}
            onClick={onRestore}
          >
            Back to this
          </Button>
        )}
      </div>
      {entry.refusal && <p class="callout bad">{sentenceOf(entry.refusal)}</p>}
      {entry.changes.length > 0 && (
        <dl class="stack close history-changes">
          {entry.changes.map((change) => (
            <div key={change.field}>
              <dt class="soft small">{labelOf(change.field)}</dt>
              <Comparison change={change} />
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function Comparison({ change: { field, from, to, hidden } }: { change: Change }) {
  if (hidden) return <dd class="soft">Changed. The old and the new value are secret.</dd>;
  const [before, after] = [valueText(field, from), valueText(field, to)];
  const { start, end, ...differing } = textDifference(before ?? '', after ?? '');
  const side = (text: string | null, middle: string) =>
    text === null ? (
      <span class="soft">None</span>
    ) : (
      <bdi>
        {start}
        {middle && <mark>{middle}</mark>}
        {end}
      </bdi>
    );
  return (
    <dd>
      <del>
        <span class="unseen">Before: </span>
        {side(before, differing.before)}
      </del>
      <ins>
        <span class="unseen">After: </span>
        {side(after, differing.after)}
      </ins>
    </dd>
  );
}
