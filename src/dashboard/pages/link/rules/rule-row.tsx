import { useEffect, useId, useRef } from 'preact/hooks';
import { withoutScheme } from '../../../format.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import type { Problems } from './problems.ts';
import { type Rule, sharesOf } from './rule.ts';
import { RuleEditor } from './rule-editor.tsx';
import { conditionInWords, shareInWords, stickyInWords, titleOf } from './sentences.ts';

interface RuleRowProps {
  readonly rule: Rule;
  readonly index: number;
  readonly count: number;
  readonly problems: Problems;
  /** What keeps it from matching, as sentences. */
  readonly findings: readonly string[];
  readonly isOpen: boolean;
  /** Where the dragged rule would be inserted. */
  readonly drop: 'before' | 'after' | 'dragged' | '';
  readonly handle: { readonly onPointerDown: (event: PointerEvent) => void };
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onMove: (to: number) => void;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
}

/** A rule as a sentence, and its fields while it is open. */
export function RuleRow({
  rule,
  index,
  count,
  problems,
  findings,
  isOpen,
  drop,
  handle,
  ...handlers
}: RuleRowProps) {
  const editorId = useId();
  const row = useRef<HTMLLIElement>(null);
  const title = titleOf(rule, index);
  useEffect(() => {
    if (isOpen && problems.hasAny)
      row.current
        ?.querySelector<HTMLElement>('input[aria-invalid="true"], select[aria-invalid="true"]')
        ?.focus();
  }, [isOpen, problems.hasAny]);
  return (
    <li class={`rule ${drop}`} ref={row} onKeyDown={handlers.onKeyDown}>
      <div class="rule-line">
        {/* For pointers; keys and screen readers use the buttons. */}
        <span class="rule-handle beside" aria-hidden="true" title="Drag to another position" {...handle}>
          <Icon name="grip" />
          <span class="rule-number">{index + 1}</span>
        </span>
        <div class="rule-words">
          {rule.name && (
            <strong>
              <bdi>{rule.name}</bdi>
            </strong>
          )}
          <p>
            <span class="unseen">Rule {index + 1}: </span>
            {conditionInWords(rule, index > 0)}: go to
          </p>
          <Destinations rule={rule} />
          <Findings sentences={findings} />
          {problems.hasAny && !isOpen && <p class="error">This rule has something to be corrected.</p>}
        </div>
        <div class="rule-actions">
          <IconButton
            icon="up"
            label={`Move ${title} up`}
            aria-disabled={index === 0}
            onClick={() => handlers.onMove(index - 1)}
          />
          <IconButton
            icon="down"
            label={`Move ${title} down`}
            aria-disabled={index === count - 1}
            onClick={() => handlers.onMove(index + 1)}
          />
          <IconButton
            icon="edit"
            label={`Edit ${title}`}
            aria-expanded={isOpen}
            aria-controls={isOpen ? editorId : undefined}
            onClick={() => handlers.onOpen(!isOpen)}
          />
          <IconButton icon="trash" label={`Remove ${title}`} onClick={handlers.onRemove} />
        </div>
      </div>
      {isOpen && (
        <fieldset id={editorId} aria-label={`Edit ${title}`}>
          <RuleEditor rule={rule} problems={problems} onChange={handlers.onChange} />
          <div class="actions">
            <Button isSlim onClick={() => handlers.onOpen(false)}>
              Done
            </Button>
          </div>
        </fieldset>
      )}
    </li>
  );
}

/** Rendered even without sentences, so that screen readers announce new ones. */
export const Findings = ({ sentences }: { sentences: readonly string[] }) => (
  <div aria-live="polite">
    {sentences.map((sentence) => (
      <p key={sentence} class="rule-finding small">
        <Icon name="warning" size={16} />
        {sentence}
      </p>
    ))}
  </div>
);

function Destinations({ rule }: { rule: Rule }) {
  if (!rule.variants) return <Destination url={rule.destination_url ?? ''} />;
  const shares = sharesOf(rule.variants);
  return (
    <>
      {rule.variants.map(({ id, destination_url }, index) => (
        <Destination key={id} url={destination_url} share={shareInWords(shares[index] ?? 0)} />
      ))}
      <p class="soft small">{stickyInWords(rule)}</p>
    </>
  );
}

export const Destination = ({ url, share }: { url: string; share?: string }) => (
  <p class="rule-leads">
    <Icon name="right" size={16} />
    {share && <span class="rule-share">{share}</span>}
    {url ? <bdi>{withoutScheme(url)}</bdi> : <span class="soft">a missing address</span>}
  </p>
);
