import { pressable, type Shortcut } from '../keys.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';

/** What can be pressed on the page that is shown. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const latestFirst = pressable.value.toReversed();
  const shown = latestFirst.filter(
    ({ key }: Shortcut, index) => latestFirst.findIndex((other) => other.key === key) === index,
  );
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {shown.map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
