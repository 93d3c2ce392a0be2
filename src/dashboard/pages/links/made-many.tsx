import { IconButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { pageOf, shortOf } from '../../short.ts';
import { bare, counted } from '../../words.ts';
import { linksIn, type Outcome, refusedIn } from './made.ts';
import { exportOf } from './view.ts';

interface MadeManyProps {
  readonly outcomes: readonly Outcome[];
  readonly isCopied: boolean;
  readonly onDismiss: () => void;
}

/** What became of each line that was pasted, in their order. */
export function MadeMany({ outcomes, isCopied, onDismiss }: MadeManyProps) {
  const links = linksIn(outcomes);
  const refused = refusedIn(outcomes);
  return (
    <section class="panel made" aria-label="New links">
      <header>
        <div>
          <h2>{links.length > 0 ? `${counted(links.length, 'link')} created` : 'No link was created'}</h2>
          <p class="soft small">
            {isCopied && 'Their short links are copied, one a line. '}
            {refused.length > 0 && amends(refused.length)}
          </p>
        </div>
        <div class="actions">
          {links.length > 0 && (
            <>
              <CopyButton text={links.map(({ url }) => url).join('\n')} what="links" isSlim />
              <a class="button slim" href={exportOf(links.map(({ id }) => id))} download="links.csv">
                <Icon name="download" />
                Export as CSV
              </a>
            </>
          )}
          <IconButton icon="close" label="Dismiss" isSlim onClick={onDismiss} />
        </div>
      </header>
      {/* It scrolls: who has no pointer must be able to stand in it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <ol class="outcomes" tabIndex={0} aria-label="What became of each line">
        {outcomes.map((outcome, index) =>
          outcome.kind === 'made' ? (
            <li key={outcome.link.id}>
              <Icon name="check" size={16} />
              <a class="cut" href={pageOf(outcome.link)}>
                {shortOf(outcome.link)}
              </a>
              <span class="soft small cut">{bare(outcome.link.destination_url)}</span>
            </li>
          ) : (
            <li key={`line ${index}`} class="refused">
              <Icon name="warning" size={16} />
              <span class="cut">{outcome.url}</span>
              <span class="small">{outcome.sentence}</span>
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

const amends = (refused: number): string =>
  refused === 1
    ? '1 line could not be used: it is back in the field, to be mended.'
    : `${counted(refused, 'line')} could not be used: they are back in the field, to be mended.`;
