import { useSignal } from '@preact/signals';
import { counted, withoutScheme } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { IconButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { ShortText } from '../../parts/link-heading.tsx';
import { QrDialog } from '../../parts/qr-dialog.tsx';
import { svgDataUrl } from '../../parts/qr-picture.ts';
import { pageOf, readableUrl, shortOf } from '../../short-links.ts';
import { type Created, linksIn, refusedIn } from './use-link-creation.ts';
import { exportOf } from './view.ts';

function announcementOf(created: Created): string {
  const copied = created.isCopied ? ' and copied' : '';
  if (created.kind === 'one') return `${shortOf(created.link)} created${copied}`;
  const refused = refusedIn(created.outcomes).length;
  const sentence = `${createdSentence(linksIn(created.outcomes).length)}${copied}`;
  return refused > 0 ? `${sentence}, ${counted(refused, 'line')} refused` : sentence;
}

const createdSentence = (links: number): string =>
  links > 0 ? `${counted(links, 'link')} created` : 'No link was created';

/** The links created last, also announced to screen readers. */
export function CreatedCard({ created, onDismiss }: { created: Created | null; onDismiss: () => void }) {
  return (
    <>
      <p class="unseen" role="status">
        {created && announcementOf(created)}
      </p>
      {created?.kind === 'one' && (
        <OneCreated key={created.link.id} created={created} onDismiss={onDismiss} />
      )}
      {created?.kind === 'many' && <ManyCreated created={created} onDismiss={onDismiss} />}
    </>
  );
}

interface CardProps<Kind extends Created['kind']> {
  readonly created: Extract<Created, { readonly kind: Kind }>;
  readonly onDismiss: () => void;
}

function OneCreated({ created: { link, isCopied }, onDismiss }: CardProps<'one'>) {
  const isQrShown = useSignal(false);
  const short = shortOf(link);
  return (
    <section class="panel made made-one" aria-label="New link">
      <button
        type="button"
        class="made-qr"
        aria-label={`Show the QR code of ${short} larger`}
        onClick={setTo(isQrShown, true)}
      >
        <img src={svgDataUrl(link.qr_code_svg)} alt={`QR code of ${short}`} width={88} height={88} />
      </button>
      <div class="made-text">
        <p class="made-state beside small">
          <Icon name="check" size={16} />
          {isCopied ? 'Created and copied' : 'Created'}
        </p>
        <a class="made-short" href={link.url} target="_blank" rel="noreferrer">
          <ShortText link={link} />
        </a>
        <p class="soft small cut">{withoutScheme(link.destination_url)}</p>
      </div>
      <div class="actions">
        <CopyButton text={readableUrl(link)} what="link" />
        <a class="button" href={pageOf(link)}>
          <Icon name="edit" />
          Edit link
        </a>
        <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
      </div>
      {isQrShown.value && <QrDialog link={link} onClose={setTo(isQrShown, false)} />}
    </section>
  );
}

/** The result of each pasted line, in the order of the lines. */
function ManyCreated({ created: { outcomes, isCopied }, onDismiss }: CardProps<'many'>) {
  const links = linksIn(outcomes);
  const refused = refusedIn(outcomes);
  return (
    <section class="panel made" aria-label="New links">
      <header>
        <div>
          <h2>{createdSentence(links.length)}</h2>
          <p class="soft small">
            {isCopied && 'Their short links are copied, one per line. '}
            {refused.length > 0 && refusedSentence(refused.length)}
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
      {/* It scrolls, so the keyboard must be able to focus it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <ol class="outcomes" tabIndex={0} aria-label="Result of each line">
        {outcomes.map((outcome, index) =>
          outcome.kind === 'made' ? (
            <li key={outcome.link.id}>
              <Icon name="check" size={16} />
              <a class="cut" href={pageOf(outcome.link)}>
                {shortOf(outcome.link)}
              </a>
              <span class="soft small cut">{withoutScheme(outcome.link.destination_url)}</span>
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

const refusedSentence = (refused: number): string =>
  refused === 1
    ? '1 line could not be used: it is back in the field, to be corrected.'
    : `${counted(refused, 'line')} could not be used: they are back in the field, to be corrected.`;
