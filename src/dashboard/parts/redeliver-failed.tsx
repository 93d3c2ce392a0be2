import { useSignal } from '@preact/signals';
import { useAction, useNoticedAction } from '../action.ts';
import type { WebhookRedelivered } from '../api-types.ts';
import { call } from '../client.ts';
import { counted, dayOf, number } from '../format.ts';
import { setTo } from '../handlers.ts';
import { notify } from '../notices.ts';
import { refresh } from '../queries.ts';
import { instantsOf } from '../stats/range.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './error-box.tsx';
import { areDays, TwoDays } from './two-days.tsx';

interface RedeliverProps {
  /** If absent, the messages of all links. */
  readonly linkId?: number;
  /** How many failed permanently. */
  readonly failed: number;
}

/** Sends failed messages again: all of them with one click, or those of some days. */
export function RedeliverFailed(props: RedeliverProps) {
  const isOpen = useSignal(false);
  const redeliverAll = useNoticedAction(async () => notifyResult(await redeliver(props.linkId)), ...reloaded);
  return (
    <div class="actions">
      <Button icon="refresh" disabled={redeliverAll.isRunning.value} onClick={() => void redeliverAll.run()}>
        Redeliver {failedInWords(props.failed)}
      </Button>
      <Button kind="plain" onClick={setTo(isOpen, true)}>
        Some days only
      </Button>
      {isOpen.value && <SpanDialog {...props} onClose={setTo(isOpen, false)} />}
    </div>
  );
}

function SpanDialog({ linkId, onClose }: RedeliverProps & { readonly onClose: () => void }) {
  const today = dayOf(new Date());
  const from = useSignal(today);
  const to = useSignal(today);
  const action = useAction(async () => {
    notifyResult(await redeliver(linkId, instantsOf({ from: from.value, to: to.value })));
    refresh(...reloaded);
    onClose();
  });
  return (
    <Dialog title="Redeliver failures of some days" onClose={onClose} isFirm={action.isRunning.value}>
      <ErrorBox error={action.error.value} fields={['from', 'to']} />
      <TwoDays from={from} to={to} error={action.error.value} />
      <p class="soft small">By the days on which the messages were created, both included.</p>
      <div class="actions">
        <Button onClick={onClose} disabled={action.isRunning.value}>
          Cancel
        </Button>
        <Button
          kind="primary"
          disabled={!areDays(from.value, to.value) || action.isRunning.value}
          onClick={() => void action.run()}
        >
          Redeliver
        </Button>
      </div>
    </Dialog>
  );
}

const reloaded = ['webhook outages', 'webhook deliveries'];

const redeliver = (
  linkId: number | undefined,
  span: { readonly from?: string; readonly to?: string } = {},
): Promise<WebhookRedelivered> =>
  call('POST /api/v1/webhook_delivery/redeliver', {
    body: { ...span, ...(linkId !== undefined && { link_id: linkId }) },
  });

function notifyResult({ redelivered, left_out, continue_from }: WebhookRedelivered): void {
  const sentences = [
    `${redelivered === 0 ? 'No message is' : counted(redelivered, 'message is', 'messages are')} on the way again.`,
    left_out > 0 &&
      `${counted(left_out, 'message has', 'messages have')} a link without a webhook now: set one first.`,
    continue_from !== null && 'There are more: press again.',
  ];
  notify(sentences.filter(Boolean).join(' '), { isError: redelivered === 0 && left_out > 0 });
}

/** The API counts no more than this. */
const maxFailedCounted = 10_000;

const failedInWords = (failed: number): string => {
  if (failed === 1) return 'the failed one';
  return failed < maxFailedCounted
    ? `all ${number(failed)} that failed`
    : `all that failed, ${number(failed)} or more`;
};
