import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { storeIn } from '../handlers.ts';
import { refresh } from '../queries.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';

interface TemplateNameProps {
  readonly name?: string;
  readonly button: string;
  readonly save: (name: string) => Promise<unknown>;
  /** Called when it was saved or cancelled. */
  readonly onEnd: () => void;
}

/** Asks for the name of a UTM template. */
export function TemplateName({ name = '', button, save, onEnd }: TemplateNameProps) {
  const typed = useSignal(name);
  const saving = useAction(async () => {
    await save(typed.value);
    refresh('utm');
    onEnd();
  });
  return (
    <div class="stack close utm-naming">
      <TextField
        label="Name of the template"
        value={typed.value}
        error={saving.error.value?.sentenceFor('name') ?? saving.error.value?.message}
        maxLength={100}
        autocomplete="off"
        autoFocus
        onText={storeIn(typed)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') onEnd();
          if (event.key !== 'Enter') return;
          // The surrounding form must not be submitted.
          event.preventDefault();
          void saving.run();
        }}
      />
      <div class="actions">
        <Button isSlim disabled={saving.isRunning.value} onClick={() => void saving.run()}>
          {button}
        </Button>
        <Button isSlim kind="plain" onClick={onEnd}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
