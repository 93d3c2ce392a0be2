import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { counted } from '../words.ts';
import { Bars } from './bars.tsx';
import type { Breakdown } from './breakdown.ts';
import { dimensionTexts } from './dimensions.ts';
import { saveBreakdown } from './export.ts';
import { toggleFilter } from './view.ts';

/** All that is known of one dimension: the hundred largest values. */
export function AllValues({
  breakdown,
  chosen,
  noun,
  onClose,
}: {
  breakdown: Breakdown;
  chosen: string | undefined;
  noun: string;
  onClose: () => void;
}) {
  const { dimension, values, total, other } = breakdown;
  return (
    <Dialog title={dimensionTexts[dimension].many} onClose={onClose} class="all-values">
      <Bars
        values={values}
        total={total}
        chosen={chosen}
        noun={noun}
        onChoose={(value) => {
          onClose();
          toggleFilter(dimension, value);
        }}
      />
      {other > 0 && (
        <p class="soft small">
          {counted(other, noun.replace(/s$/, ''))} had other values: the hundred largest are shown.
        </p>
      )}
      <div class="actions">
        <Button icon="download" onClick={() => saveBreakdown(breakdown)}>
          Export as CSV
        </Button>
        <Button onClick={onClose} data-focus>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
