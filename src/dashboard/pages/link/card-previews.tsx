import { useSignal } from '@preact/signals';
import type { Link } from '../../api-types.ts';
import { withoutScheme } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { Icon } from '../../parts/icons.tsx';
import { Panel } from '../../parts/section.tsx';
import { hostOf, shortOf } from '../../short-links.ts';
import { useDebounced } from '../../use-previous.ts';
import type { LinkForm } from './form.ts';
import { NotSavedYet } from './save-bar.tsx';

const pause = 400;

/** The address of a picture once typing has paused: a half-typed address would be requested from another server. */
function usePicture(text: string): string | null {
  const typed = useDebounced(text, pause).trim();
  if (typed === '' || text.trim() === '') return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(typed) ? typed : `https://${typed}`);
  return url && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.href : null;
}

function Picture({ address }: { address: string }) {
  const isMissing = useSignal(false);
  return isMissing.value ? (
    <span class="card-picture missing soft small">
      <Icon name="warning" />
      No picture was found at this address
    </span>
  ) : (
    <img
      class="card-picture"
      src={address}
      alt=""
      referrerpolicy="no-referrer"
      onError={setTo(isMissing, true)}
    />
  );
}

interface Card {
  readonly host: string;
  readonly title: string;
  readonly description: string;
  readonly picture: string | null;
  readonly short: string;
}

const Words = ({ host, title, description }: Card) => (
  <div class="card-words small">
    <span class="host soft">{host}</span>
    <bdi class="title">{title}</bdi>
    {description && <bdi class="soft">{description}</bdi>}
  </div>
);

const PictureOf = ({ picture }: Card) => picture && <Picture key={picture} address={picture} />;

const WebPreview = ({ caption, isLarge, card }: { caption: string; isLarge: boolean; card: Card }) => (
  <figure>
    <figcaption class="soft small">{caption}</figcaption>
    <div class={isLarge ? 'card large' : 'card small-card'}>
      <PictureOf {...card} />
      <Words {...card} />
    </div>
  </figure>
);

function Previews({ card }: { card: Card }) {
  return (
    <>
      <WebPreview caption="In a post" isLarge={card.picture !== null} card={card} />
      <WebPreview caption="In small spaces" isLarge={false} card={card} />
      <figure>
        <figcaption class="soft small">In a chat</figcaption>
        <div class="card bubble">
          <div class="card quote">
            <Words {...card} />
            <PictureOf {...card} />
          </div>
          <span class="address">{card.short}</span>
        </div>
      </figure>
    </>
  );
}

const cardOf = (link: Link, { fields }: LinkForm, picture: string | null): Card => ({
  host: hostOf(link),
  // The page for crawlers shows the host name if there is no title.
  title: fields.og_title.trim() || new URL(link.url).hostname,
  description: fields.og_description.trim(),
  picture,
  short: shortOf(link),
});

/** The card with the unsaved changes. Each service draws it a little differently. */
export function CardPreviews({ form }: { form: LinkForm }) {
  const { link, fields } = form;
  const picture = usePicture(fields.og_image);
  const isEmpty = !fields.og_title && !fields.og_description && !fields.og_image;
  return (
    <Panel
      title="How it looks when it is shared"
      class="card-previews"
      aside={<NotSavedYet form={form} prefix="og_" />}
    >
      {isEmpty ? (
        <div class="empty">
          <p>
            Nothing is set, so the card of <bdi>{withoutScheme(fields.destination_url).split('/')[0]}</bdi>{' '}
            itself is shown. Type a title to give this link a card of its own.
          </p>
        </div>
      ) : (
        <Previews card={cardOf(link, form, picture)} />
      )}
    </Panel>
  );
}
