import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { withUtm } from '../../../rules/destinations/utm.ts';
import { counted } from '../../format.ts';
import { isSecondClick, storeIn, submitBy } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { DisclosureButton } from '../../parts/disclosure-button.tsx';
import { ErrorBox, ErrorText } from '../../parts/error-box.tsx';
import { isFocusInUse } from '../../parts/focus.ts';
import { UtmSection } from '../../parts/utm-section.tsx';
import { removedIds } from '../../remove-links.ts';
import { search, setQuery } from '../../router.ts';
import { hostOf } from '../../short-links.ts';
import { CreatedCard } from './created-card.tsx';
import { destinationsIn, looksLikeAddress } from './destinations.ts';
import { inputFields, type NewLinkInput, NewLinkOptions } from './new-link-options.tsx';
import { prefilled } from './prefilled.ts';
import { useLinkCreation } from './use-link-creation.ts';

const maxRows = 8;

/** The field that creates links, one per line. */
export function NewLink({ isFirst }: { isFirst: boolean }) {
  const creation = useLinkCreation();
  const { text, urls, input, inputProblem, isRunning, created } = creation;
  const areOptionsOpen = useSignal(input.value.suffix !== '');
  const field = useRef<HTMLTextAreaElement>(null);
  const optionsId = useId();
  const problemId = useId();
  const areMany = urls.length > 1;
  const submit = () => {
    if (!creation.submit()) field.current?.focus();
  };

  usePasteAnywhere((pasted) => {
    creation.type(text.value.trim() === '' ? pasted : `${text.value.trimEnd()}\n${pasted}`);
    field.current?.focus();
  });
  useEffect(() => {
    if (isFirst && !isFocusInUse() && matchMedia('(hover: hover)').matches) field.current?.focus();
  }, [isFirst]);
  useEffect(() => {
    if (prefilled(search.value) === null) return;
    field.current?.focus();
    // The values are filled in once, and not again by a reload.
    setQuery({ new_suffix: null, new_domain: null });
  }, []);
  // A deleted link can neither be copied nor edited.
  useEffect(() => {
    const latest = created.value;
    if (latest?.kind === 'one' && removedIds.value.has(latest.link.id)) created.value = null;
  }, [removedIds.value]);
  const error = creation.error.value;
  useEffect(() => {
    if (inputFields.some((name) => error?.sentenceFor(name))) areOptionsOpen.value = true;
  }, [error]);

  const problem = inputProblem.value ?? error?.sentenceFor('destination_url') ?? null;
  return (
    <div class="stack even new-link">
      <form onSubmit={submitBy(submit)}>
        <div class="new-link-box">
          <label class="unseen" for="new-link">
            Long URL
          </label>
          <textarea
            ref={field}
            id="new-link"
            rows={Math.min(maxRows, text.value.split('\n').length)}
            wrap="off"
            placeholder="Paste a long URL"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            inputMode="url"
            enterkeyhint="go"
            aria-invalid={problem ? 'true' : undefined}
            aria-describedby={problem ? problemId : undefined}
            value={text.value}
            onInput={({ currentTarget }) => {
              creation.type(currentTarget.value);
              // Shows the beginning of each line, where they differ.
              if (currentTarget.value.includes('\n')) currentTarget.scrollLeft = 0;
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              if (!event.repeat) submit();
            }}
          />
          <Button
            type="submit"
            kind="primary"
            disabled={isRunning.value}
            onClick={(event) => {
              if (isSecondClick(event)) event.preventDefault();
            }}
          >
            {areMany ? `Create ${counted(urls.length, 'link')}` : 'Create link'}
          </Button>
        </div>
        <div class="new-link-foot wrapping">
          <DisclosureButton isOpen={areOptionsOpen} controls={optionsId}>
            Options
          </DisclosureButton>
          {!areOptionsOpen.value && <span class="soft small cut">{summaryOf(input.value, areMany)}</span>}
          <ErrorText sentence={problem} id={problemId} />
        </div>
        <div id={optionsId} hidden={!areOptionsOpen.value}>
          {areOptionsOpen.value && (
            <>
              <NewLinkOptions input={input.value} error={error} areMany={areMany} onInput={storeIn(input)} />
              <UtmSection
                destinations={urls}
                onChange={(changes) => creation.type(urls.map((url) => withUtm(url, changes)).join('\n'))}
              />
            </>
          )}
        </div>
      </form>
      <ErrorBox error={error} fields={['destination_url', ...inputFields]} onRetry={submit} />
      <CreatedCard
        created={created.value}
        onDismiss={() => {
          created.value = null;
          field.current?.focus();
        }}
      />
    </div>
  );
}

/** The chosen options, shown while they are collapsed. */
const summaryOf = ({ domain, suffix, tags }: NewLinkInput, areMany: boolean): string =>
  [hostOf({ domain }), areMany ? '' : suffix.trim() && `/${suffix.trim()}`, ...tags.map(({ name }) => name)]
    .filter(Boolean)
    .join(' · ');

/** Addresses pasted outside any field go to the field that creates links. */
function usePasteAnywhere(onAddresses: (text: string) => void): void {
  const latest = useRef(onAddresses);
  latest.current = onAddresses;
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const { target } = event;
      const isInField =
        target instanceof Element && target.closest('input, textarea, select, [contenteditable]');
      if (event.defaultPrevented || isInField || document.querySelector('dialog[open]')) return;
      const pasted = destinationsIn(event.clipboardData?.getData('text/plain') ?? '');
      if (pasted.length === 0 || !pasted.every(looksLikeAddress)) return;
      event.preventDefault();
      latest.current(pasted.join('\n'));
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, []);
}
