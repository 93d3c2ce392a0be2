import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Link } from '../api-types.ts';
import { counted } from '../format.ts';
import { setTo } from '../handlers.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';

interface QuietProps {
  readonly link: Link;
  readonly children: ComponentChildren;
}

/** Shown instead of data that isn't recorded for a quiet link. Data recorded before is shown on request. */
export function UnlessQuiet({ link, children }: QuietProps) {
  const areEarlierShown = useSignal(false);
  if (link.statistics || areEarlierShown.value) return <>{children}</>;
  return (
    <Empty title={`${counted(link.clicks, 'click')}, and nothing else is recorded`}>
      <p>
        Statistics are turned off for this link: it stores nothing about its visitors except their number, not
        even the time. Repeats can't be recognised without that, so every redirected person counts each time;
        bots and previews don't.
      </p>
      <p>
        <a class="button" href={`/app/links/${link.id}`}>
          Change that in the details
        </a>{' '}
        <Button onClick={setTo(areEarlierShown, true)}>Show what was recorded before</Button>
      </p>
    </Empty>
  );
}
