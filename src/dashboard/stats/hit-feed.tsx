import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useKeys } from '../keys.ts';
import { Button } from '../parts/button.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { SelectField } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { search } from '../router.ts';
import { hasEnded } from '../session.ts';
import { counted, timezone } from '../words.ts';
import { hitsPath } from './export.ts';
import { Feed } from './feed.ts';
import { HitTable } from './hit-table.tsx';
import { LiveAnnouncer } from './live-announcer.tsx';
import { keyOf, type Scope } from './scope.ts';
import { nounOf, shownIn, shownNames } from './shown-class.ts';
import { look } from './view.ts';

/** Hits newest first, and new ones on top as they come in. */
export function HitFeed({ scope }: { scope: Scope }) {
  const shown = shownIn(search.value);
  const top = useRef<HTMLDivElement>(null);
  // What is scrolled to is not pushed away by what comes in above it.
  const feed = useMemo(
    () => new Feed(scope, shown, () => (top.current?.getBoundingClientRect().top ?? 0) >= 0),
    [keyOf(scope), shown],
  );
  const isSignedOut = hasEnded.value;
  useEffect(() => {
    if (isSignedOut) return feed.awaitSignIn();
    feed.start();
    return () => feed.stop();
  }, [feed, isSignedOut]);
  const isPaused = feed.isPaused.value;
  const pause = () => feed.pause(!feed.isPaused.value);
  const latest = useRef(pause);
  latest.current = pause;
  useKeys([{ key: 'p', does: 'Pause what comes in, or go on', act: () => latest.current() }]);
  const { hits, error } = feed;
  // The rows of before stand until those of another kind are there.
  const before = useRef(hits.value);
  if (hits.value) before.current = hits.value;
  const rows = error.value ? hits.value : (hits.value ?? before.current);
  const noun = nounOf(shown);
  return (
    <div class="feed">
      <div class="feed-bar">
        <SelectField
          label="Show"
          value={shown}
          choices={shownNames.map(([value, label]) => ({ value, label }))}
          onChoice={(next) => look({ show: next === 'click' ? null : next })}
        />
        <Standing feed={feed} />
        <div class="actions">
          <Button aria-pressed={isPaused} onClick={pause}>
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
          <a class="button" href={`${hitsPath(scope)}?class=${shown}`} download>
            <Icon name="download" />
            Export as CSV
          </a>
        </div>
      </div>
      {error.value && <ErrorBox error={error.value} onRetry={() => void feed.readNewest()} />}
      <div ref={top} />
      <Waiting feed={feed} noun={noun} />
      <LiveAnnouncer feed={feed} noun={noun} />
      {rows ? (
        <div class={hits.value ? undefined : 'old'} aria-busy={!hits.value}>
          <HitTable hits={rows} scope={scope} shown={shown} />
        </div>
      ) : (
        !error.value && <div class="feed-waiting skeleton" aria-busy="true" />
      )}
      <div class="feed-end">
        {feed.hasOlder.value && (
          <Button disabled={feed.isReading.value} onClick={() => void feed.readOlder()}>
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

function Standing({ feed }: { feed: Feed }) {
  const standing = feed.standing.value;
  if (standing.kind === 'lost')
    return (
      <p class="standing lost" role="status">
        <Icon name="warning" size={16} />
        {standing.sentence}
      </p>
    );
  const words = feed.isPaused.value
    ? 'Paused: new hits wait.'
    : standing.kind === 'live'
      ? 'Live: new hits appear by themselves.'
      : 'Connecting…';
  return (
    <p class="standing" role="status">
      <span class={standing.kind === 'live' && !feed.isPaused.value ? 'standing-dot on' : 'standing-dot'} />
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
