import { useSignal } from '@preact/signals';
import type { Link } from '../../api-types.ts';
import { IconButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { QrDialog } from '../../parts/qr-dialog.tsx';
import { asAddress } from '../../parts/qr-picture.ts';
import { ShortText } from '../../parts/short-text.tsx';
import { pageOf, readableUrl, shortOf } from '../../short.ts';
import { bare } from '../../words.ts';

interface MadeOneProps {
  readonly link: Link;
  readonly isCopied: boolean;
  readonly onDismiss: () => void;
}

/** The link that was just made: what one came for. */
export function MadeOne({ link, isCopied, onDismiss }: MadeOneProps) {
  const isQrShown = useSignal(false);
  const short = shortOf(link);
  return (
    <section class="panel made made-one" aria-label="New link">
      <button
        type="button"
        class="made-qr"
        aria-label={`Show the QR code of ${short} larger`}
        onClick={() => {
          isQrShown.value = true;
        }}
      >
        <img src={asAddress(link.qr_code_svg)} alt={`QR code of ${short}`} width={88} height={88} />
      </button>
      <div class="made-text">
        <p class="made-state">
          <Icon name="check" size={16} />
          {isCopied ? 'Created and copied' : 'Created'}
        </p>
        <a class="made-short" href={link.url} target="_blank" rel="noreferrer">
          <ShortText link={link} />
        </a>
        <p class="soft small cut">{bare(link.destination_url)}</p>
      </div>
      <div class="actions">
        <CopyButton text={readableUrl(link)} what="link" />
        <a class="button" href={pageOf(link)}>
          <Icon name="edit" />
          Edit link
        </a>
        <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
      </div>
      {isQrShown.value && (
        <QrDialog
          link={link}
          onClose={() => {
            isQrShown.value = false;
          }}
        />
      )}
    </section>
  );
}
