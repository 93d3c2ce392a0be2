import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { Domain } from '../../api-types.ts';
import { call } from '../../client.ts';
import { counted } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { notify } from '../../notices.ts';
import { confirmingPrint } from '../../on-paper.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { FormErrors } from '../../parts/error-box.tsx';
import { Section } from '../../parts/section.tsx';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';

export function DeleteDomain({ domain }: { domain: Domain }) {
  const isConfirming = useSignal(false);
  const remove = useAction(async () => {
    await confirmingPrint((confirm) =>
      call('DELETE /api/v1/domain/{id}', {
        params: { id: domain.id },
        query: { confirm, ...(domain.links > 0 && { links: 'delete' as const }) },
      }),
    );
    notify(`${domain.domain_unicode} deleted.`);
    refresh('domain', 'links');
    navigate('/app/domains', { force: true });
  });
  const links = counted(domain.links, 'link');
  return (
    <Section
      title="Delete domain"
      about={
        domain.links > 0
          ? `It has ${links}. They are deleted with it, and their addresses stop working at once.`
          : 'It has no links.'
      }
    >
      <FormErrors error={remove.error.value} onRetry={() => void remove.run()} />
      <Button kind="danger" icon="trash" onClick={setTo(isConfirming, true)}>
        Delete domain
      </Button>
      {isConfirming.value && (
        <Confirm
          title={`Delete ${domain.domain_unicode}?`}
          sentence={
            domain.links > 0
              ? `Its ${links} are deleted with it, and stop working on paper and on screens. This can't be undone.`
              : 'It can be added again later, with a new proof in the DNS.'
          }
          action={domain.links > 0 ? `Delete domain and ${links}` : 'Delete domain'}
          onCancel={setTo(isConfirming, false)}
          onConfirm={() => {
            isConfirming.value = false;
            void remove.run();
          }}
        />
      )}
    </Section>
  );
}
