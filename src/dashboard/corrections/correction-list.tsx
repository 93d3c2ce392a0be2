import { useNoticedAction } from '../action.ts';
import type { ApiError } from '../api-error.ts';
import type { ClickCorrection } from '../api-types.ts';
import { since } from '../format.ts';
import { notify } from '../notices.ts';
import { Button } from '../parts/button.tsx';
import { keyOf, type Scope } from '../stats/scope.ts';
import { usePages } from '../use-pages.ts';
import { usePrevious } from '../use-previous.ts';
import { useIntervalWhileVisible } from '../visibility.ts';
import { loadCorrections, refreshNumbers, revertReclassification } from './calls.ts';
import { correctionSummary, outcomeOf, spanOf } from './sentences.ts';

const intervalWhileRunning = 1_500;

interface Corrections {
  /** The newest, or more on request. */
  readonly corrections: readonly ClickCorrection[];
  /** Null if there are no older ones. */
  readonly showMore: (() => void) | null;
}

interface LoadedCorrections extends Corrections {
  readonly areLoaded: boolean;
  readonly error: ApiError | null;
  readonly reload: () => void;
}

export function useCorrections(scope: Scope): LoadedCorrections {
  const { query, showMore } = usePages(`corrections ${keyOf(scope)}`, (cursor) =>
    loadCorrections(scope, cursor),
  );
  const { data } = usePrevious(query);
  const pages = data ?? [];
  const corrections = pages.flatMap((page) => page.corrections);
  const isRunning = corrections.some(({ state }) => state === 'running');
  useIntervalWhileVisible(refreshNumbers, isRunning ? intervalWhileRunning : null);
  return {
    corrections,
    showMore: pages.at(-1)?.next ? showMore : null,
    areLoaded: data !== undefined,
    error: query.error.value,
    reload: () => void query.reload(),
  };
}

/** What was erased or moved, by whom and when. Moves can be reverted. */
export function CorrectionList({ scope, corrections, showMore }: Corrections & { readonly scope: Scope }) {
  const revert = useNoticedAction(async ({ id, link_id }: ClickCorrection) => {
    if (link_id !== null) notify(outcomeOf(await revertReclassification(link_id, id)));
  });
  const revertedIds = new Set(corrections.map(({ takes_back }) => takes_back));
  return (
    <>
      <ul class="rows">
        {corrections.map((correction) => {
          const { id, created_at, created_by, kind, hits, state, link_id } = correction;
          const author = created_by === null ? 'A former member' : (created_by.name ?? created_by.email);
          const canRevert = kind === 'reclassify' && hits > 0 && state === 'done' && !revertedIds.has(id);
          return (
            <li key={id}>
              <div class="who">
                <p>
                  {correctionSummary(correction)}
                  <span class="soft">, {spanOf(correction)}</span>
                </p>
                <p class="soft small" title={created_at}>
                  {author}, {since(created_at)}
                  <CorrectedLinks scope={scope} linkId={link_id} />
                </p>
              </div>
              {canRevert && (
                <Button isSlim disabled={revert.isRunning.value} onClick={() => void revert.run(correction)}>
                  Take back
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {showMore && (
        <div class="pad">
          <Button isSlim onClick={showMore}>
            Show older corrections
          </Button>
        </div>
      )}
    </>
  );
}

/** Which links a correction covers, unless it is just the link of the page. */
function CorrectedLinks({ scope, linkId }: { readonly scope: Scope; readonly linkId: number | null }) {
  if (linkId === null) return <> · in all links</>;
  if (scope.kind === 'link') return null;
  return (
    <>
      {' · in '}
      <a href={`/app/links/${linkId}/stats`}>one link</a>
    </>
  );
}
