import { useSignal } from '@preact/signals';
import { useAction, useNoticedAction } from '../../action.ts';
import type { ApiKey } from '../../api-types.ts';
import { call } from '../../client.ts';
import { useCreateOnce } from '../../create-once.ts';
import { day, since } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { notify } from '../../notices.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { CancelAndSubmit, Form, FormField } from '../../parts/form.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { StackingTable } from '../../parts/stacking-table.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { askBefore } from '../../questions.ts';

export function ApiKeys() {
  const keys = useQuery('api keys', () => call('GET /api/v1/api_key'));
  const isAdding = useSignal(false);
  const remove = useNoticedAction(async (key: ApiKey) => {
    await call('DELETE /api/v1/api_key/{id}', { params: { id: key.id } });
    notify(`API key “${key.name}” deleted. Programs that use it are refused from now on.`);
  }, 'api keys');
  return (
    <Section
      id="api-keys"
      title="API Keys"
      about="For programs that act in your name. Send one in the header api-key."
      isFlush
      actions={
        <Button icon="plus" isSlim onClick={setTo(isAdding, true)}>
          Add API Key
        </Button>
      }
    >
      <Loaded query={keys} height={120}>
        {(apiKeys) =>
          apiKeys.length === 0 ? (
            <Empty title="No API keys yet">
              <p>With one, scripts and other services can create and read links as you do.</p>
            </Empty>
          ) : (
            <StackingTable columns={['Name', 'Begins with', 'Made', 'Last used']}>
              {apiKeys.map((key) => (
                <tr key={key.id}>
                  <td>{key.name}</td>
                  <td data-name="Begins with">
                    <code>{key.prefix}…</code>
                  </td>
                  <td data-name="Made">{day(key.created_at)}</td>
                  <td data-name="Last used">
                    {key.last_used_at ? since(key.last_used_at) : <span class="soft">Never</span>}
                  </td>
                  <td class="number">
                    <IconButton
                      icon="trash"
                      isSlim
                      label={`Delete API key ${key.name}`}
                      onClick={() =>
                        askBefore({
                          title: `Delete API key “${key.name}”?`,
                          sentence: "Programs that use it are refused from then on. This can't be undone.",
                          action: 'Delete API key',
                          act: () => void remove.run(key),
                        })
                      }
                    />
                  </td>
                </tr>
              ))}
            </StackingTable>
          )
        }
      </Loaded>
      {isAdding.value && <NewApiKey onClose={setTo(isAdding, false)} />}
    </Section>
  );
}

/** Asks for a name, then shows the key once. */
function NewApiKey({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const createdKey = useSignal<string | null>(null);
  const createOnce = useCreateOnce();
  // While this runs, the dialog stays open: closed, it would never show the key.
  const create = useAction(async () => {
    const answer = await createOnce('POST /api/v1/api_key', { body: { name: name.value } });
    createdKey.value = answer.key;
    refresh('api keys');
  });
  if (createdKey.value !== null) {
    return (
      <ShownOnce
        title="Your new API key"
        about="Copy it now: it is only shown once. Linnet stores only a fingerprint of it."
        secret={createdKey.value}
        what="key"
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Add API Key" onClose={onClose} isFirm={create.isRunning.value}>
      <Form action={create} fields={['name']} canRetry>
        <FormField
          field="name"
          label="Name"
          hint="What it is for, so that you know later which one to delete."
          placeholder="Newsletter script"
          required
          autoFocus
          autocomplete="off"
          maxLength={100}
          signal={name}
        />
        <CancelAndSubmit verb="Create API Key" isFirm onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
