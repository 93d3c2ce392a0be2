import { shortOf } from '../../short.ts';
import { counted } from '../../words.ts';
import { linksIn } from './made.ts';
import { MadeMany } from './made-many.tsx';
import { MadeOne } from './made-one.tsx';
import type { Made } from './use-making.ts';

function announcementOf(made: Made): string {
  const copied = made.isCopied ? ' and copied' : '';
  if (made.kind === 'one') return `${shortOf(made.link)} created${copied}`;
  return `${counted(linksIn(made.outcomes).length, 'link')} created${copied}`;
}

/** The links made last, also announced to screen readers. */
export function MadeCard({ made, onDismiss }: { made: Made | null; onDismiss: () => void }) {
  return (
    <>
      <p class="unseen" role="status">
        {made && announcementOf(made)}
      </p>
      {made?.kind === 'one' && (
        <MadeOne key={made.link.id} link={made.link} isCopied={made.isCopied} onDismiss={onDismiss} />
      )}
      {made?.kind === 'many' && (
        <MadeMany outcomes={made.outcomes} isCopied={made.isCopied} onDismiss={onDismiss} />
      )}
    </>
  );
}
