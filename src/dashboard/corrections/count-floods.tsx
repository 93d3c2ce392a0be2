import { useNoticedAction } from '../action.ts';
import { notify } from '../notices.ts';
import { Button } from '../parts/button.tsx';
import type { Period } from '../stats/range.ts';
import { countFloods, revertReclassification } from './calls.ts';
import { outcomeOf } from './sentences.ts';

interface CountFloodsProps {
  readonly linkId: number;
  readonly span: Period;
}

/** For a flood that consisted of people after all. */
export function CountFloods({ linkId, span }: CountFloodsProps) {
  const revert = useNoticedAction(async (id: number) =>
    notify(outcomeOf(await revertReclassification(linkId, id))),
  );
  const count = useNoticedAction(async () => {
    const correction = await countFloods(linkId, span);
    const action = { label: 'Take back', act: () => void revert.run(correction.id) };
    notify(outcomeOf(correction), correction.state === 'done' && correction.hits > 0 ? { action } : {});
  });
  return (
    <p>
      <Button isSlim disabled={count.isRunning.value} onClick={() => void count.run()}>
        Count these as clicks
      </Button>
    </p>
  );
}
