import { CorrectionList, useCorrections } from '../../corrections/correction-list.tsx';
import { EraseClicks } from '../../corrections/erase-clicks.tsx';
import { Section } from '../../parts/section.tsx';

const all = { kind: 'all' } as const;

/** For administrators: erases clicks of all links, and lists the corrections of all links. */
export function EraseSection() {
  const corrections = useCorrections(all);
  return (
    <Section
      title="Erase clicks"
      about="Of all links, for some days or all time. Those of one link are erased on its statistics page."
      isFlush={corrections.length > 0}
      actions={<EraseClicks scope={all} days={null} />}
    >
      {corrections.length > 0 && <CorrectionList scope={all} corrections={corrections} />}
    </Section>
  );
}
