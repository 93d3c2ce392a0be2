import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { counted, timezone } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { SelectField } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { Skeleton } from '../parts/page.tsx';
import { search, setQuery } from '../router.ts';
import { sessionHasEnded } from '../session.ts';
import { useShortcuts } from '../shortcuts.ts';
import { usePrevious } from '../use-previous.ts';
import { ChosenLinks } from './chosen-links.tsx';
import { BoardOfDeletedFilter, deletedFilter } from './deleted-filter.tsx';
import { hitsAddress } from './export.ts';
import { Feed } from './feed.ts';
import { HitTable } from './hit-table.tsx';
import { announcement } from './hit-words.ts';
import { choiceOf, type Scope } from './scope.ts';
import { nounOf, shownChoices, shownIn } from './shown-class.ts';

/** Hits newest first, and new ones on top as they come in. */
export function HitFeed({ scope }: { scope: Scope }) {
  const shown = shownIn(search.value);
  const top = useRef<HTMLDivElement>(null);
  // New hits must not push away the rows that the user has scrolled to.
  const feed = useMemo(
    () => new Feed(scope, shown, () => (top.current?.getBoundingClientRect().top ?? 0) >= 0),
    [JSON.stringify(choiceOf(scope)), shown],
  );
  const isSignedOut = sessionHasEnded.value;
  useEffect(() => {
    if (isSignedOut) return feed.awaitSignIn();
    feed.start();
    return () => feed.stop();
  }, [feed, isSignedOut]);
  const isPaused = feed.isPaused.value;
  const pause = () => feed.pause(!feed.isPaused.value);
  useShortcuts([{ key: 'p', description: 'Pause new hits, or continue', act: pause }]);
  const { data: rows, isOld } = usePrevious({ data: feed.hits, error: feed.error });
  const noun = nounOf(shown);
  const deleted = deletedFilter(feed.error.value);
  if (deleted !== undefined) return <BoardOfDeletedFilter parameter={deleted} chosen={choiceOf(scope)} />;
  return (
    <div class="stack even feed">
      {scope.kind === 'all' && <ChosenLinks chosen={scope.chosen ?? {}} />}
      <div class="feed-bar">
        <SelectField
          label="Show"
          value={shown}
          choices={shownChoices}
          onChoice={(next) => setQuery({ show: next === 'click' ? null : next })}
        />
        <StreamStatus feed={feed} />
        <div class="actions">
          <Button aria-pressed={isPaused} onClick={pause}>
            {isPaused ? 'Continue' : 'Pause'}
          </Button>
          <a class="button" href={hitsAddress(scope, shown)} download>
            <Icon name="download" />
            Export as CSV
          </a>
        </div>
      </div>
      <ErrorBox error={feed.error.value} onRetry={() => void feed.loadNewest()} />
      <div ref={top} />
      <Waiting feed={feed} noun={noun} />
      <LiveAnnouncer feed={feed} noun={noun} />
      {rows ? (
        <div class={isOld ? 'old' : undefined} aria-busy={isOld}>
          <HitTable hits={rows} total={feed.total.value} scope={scope} shown={shown} />
        </div>
      ) : (
        !feed.error.value && <Skeleton height={420} />
      )}
      <div class="feed-end wrapping">
        {feed.hasOlder.value && (
          <Button disabled={feed.isLoading.value} onClick={() => void feed.loadOlder()}>
            Show older {noun}s
          </Button>
        )}
        <p class="soft small">
          {counted(feed.total.value, noun)} in all. Times are those of {timezone}.
        </p>
      </div>
    </div>
  );
}

function StreamStatus({ feed }: { feed: Feed }) {
  const state = feed.streamState.value;
  if (state.kind === 'lost')
    return (
      <p class="standing lost beside small" role="status">
        <Icon name="warning" size={16} />
        {state.sentence}
      </p>
    );
  const words = feed.isPaused.value
    ? 'Paused: new hits wait.'
    : state.kind === 'live'
      ? 'Live: new hits appear automatically.'
      : 'Connecting…';
  return (
    <p class="standing beside soft small" role="status">
      <span class={state.kind === 'live' && !feed.isPaused.value ? 'standing-dot on' : 'standing-dot'} />
      {words}
    </p>
  );
}

function Waiting({ feed, noun }: { feed: Feed; noun: string }) {
  const waiting = feed.held.value.length;
  if (waiting === 0) return null;
  return (
    <div class="feed-held">
      <Button
        kind="primary"
        isSlim
        onClick={() => {
          feed.pause(false);
          scrollTo({ top: 0 });
        }}
      >
        Show {counted(waiting, `new ${noun}`)}
      </Button>
    </div>
  );
}

const minInterval = 4_000;

/** Announces new hits to screen readers: several at once as one sentence, at most one every few seconds. */
function LiveAnnouncer({ feed, noun }: { feed: Feed; noun: string }) {
  const sentence = useSignal('');
  const announced = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { count } = feed.arrived.value;
  useEffect(() => {
    announced.current = 0;
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [feed]);
  useEffect(() => {
    const announce = () => {
      timer.current = undefined;
      const { count: soFar, last } = feed.arrived.value;
      const unannounced = soFar - announced.current;
      if (unannounced <= 0 || !last) return;
      announced.current = soFar;
      sentence.value = announcement(unannounced, last, noun);
      timer.current = setTimeout(announce, minInterval);
    };
    if (timer.current === undefined) announce();
  }, [count]);
  return (
    <p class="unseen" role="status">
      {sentence.value}
    </p>
  );
}
