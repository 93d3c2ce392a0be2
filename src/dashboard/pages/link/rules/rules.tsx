import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { maxRules } from '../../../../rules/link-rules/rule-fields.ts';
import { findingsOf, firstUnconditionalRule } from '../../../../rules/link-rules/rule-findings.ts';
import { notify } from '../../../notices.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorText } from '../../../parts/error-box.tsx';
import { Panel } from '../../../parts/section.tsx';
import { useDebounced } from '../../../use-previous.ts';
import { FieldsForm } from '../fields-form.tsx';
import type { LinkForm } from '../form.ts';
import { NotSavedYet } from '../save-bar.tsx';
import { findingInWords } from './finding-sentences.ts';
import { problemsOfRule } from './problems.ts';
import { moved, newId, type Rule } from './rule.ts';
import { Destination, Findings, RuleRow } from './rule-row.tsx';
import { TryAs } from './try-as.tsx';
import { useReorder } from './use-reorder.ts';

/** The rules of a link as sentences, in the order in which they are evaluated. */
export function Rules({ form }: { form: LinkForm }) {
  const { rules } = form.fields;
  const open = useSignal<string | null>(null);
  const announced = useSignal('');
  const set = (changed: readonly Rule[]) => form.set('rules', changed);
  const move = (from: number, to: number) => {
    set(moved(form.fields.rules, from, to));
    announced.value = `Rule ${from + 1} is now ${to + 1} of ${rules.length}.`;
  };
  const reorder = useReorder(rules.length, move);
  const add = () => {
    const rule: Rule = { id: newId(rules), name: null, when: {}, destination_url: '' };
    set([...rules, rule]);
    open.value = rule.id;
  };
  const remove = (rule: Rule, index: number) => {
    set(rules.filter((other) => other !== rule));
    notify('Rule removed.', {
      undo: () => form.revise('rules', (now) => [...now.slice(0, index), rule, ...now.slice(index)]),
    });
  };
  useEffect(() => {
    const invalidRule = rules.find((rule) => problemsOfRule(form, rule).hasAny);
    if (invalidRule) open.value = invalidRule.id;
  }, [form.error]);
  const findings = useFindings(rules);
  const dragged = reorder.drag.value;
  return (
    <div class="link-rules">
      <FieldsForm form={form}>
        <Panel
          title="Where visitors go"
          about="The first rule that matches a visitor decides."
          aside={<NotSavedYet form={form} prefix="rules" />}
          isFlush
        >
          <ol class="rule-list" ref={reorder.list}>
            {rules.map((rule, index) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                index={index}
                count={rules.length}
                findings={findings.get(rule.id) ?? []}
                problems={problemsOfRule(form, rule)}
                isOpen={open.value === rule.id}
                drop={dragged === null ? '' : dropOf(index, dragged)}
                handle={reorder.handle(index)}
                onKeyDown={reorder.onKeyDown(index)}
                onMove={(to) => reorder.move(index, to)}
                onOpen={(isOpen) => {
                  open.value = isOpen ? rule.id : null;
                }}
                onChange={(changed) => set(rules.map((other) => (other === rule ? changed : other)))}
                onRemove={() => remove(rule, index)}
              />
            ))}
          </ol>
          <DefaultDestinations form={form} />
          <div class="pad">
            <ErrorText sentence={form.error?.sentenceFor('rules')} />
            <Button icon="plus" disabled={rules.length >= maxRules} onClick={add}>
              Add rule
            </Button>
          </div>
        </Panel>
        <span class="unseen" role="status">
          {announced.value}
        </span>
      </FieldsForm>
      <TryAs form={form} />
    </div>
  );
}

/** The findings in words, by rule id. Updated only once nothing has changed for a moment, because they shift the fields. */
function useFindings(latest: readonly Rule[]): ReadonlyMap<string, readonly string[]> {
  const rules = useDebounced(latest, 300);
  return useMemo(() => {
    const findings = findingsOf(rules, Date.now());
    return new Map(
      rules.map(({ id }, index) => [
        id,
        findings[index]?.map((finding) => findingInWords(finding, rules)) ?? [],
      ]),
    );
  }, [rules]);
}

function dropOf(index: number, { from, to }: { from: number; to: number }) {
  if (index === from) return 'dragged';
  if (to === from || index !== to) return '';
  return to < from ? 'before' : 'after';
}

/** Where visitors go if no rule matches them. */
function DefaultDestinations({ form: { fields } }: { form: LinkForm }) {
  const { rules, destination_url, android_link_destination, ios_link_destination } = fields;
  const unconditionalIndex = firstUnconditionalRule(rules);
  return (
    <div class="rule otherwise">
      <div class="rule-words">
        <p>{rules.length === 0 ? 'No rules yet: everybody goes to' : 'Otherwise: go to'}</p>
        {android_link_destination && <Destination url={android_link_destination} share="On Android" />}
        {ios_link_destination && <Destination url={ios_link_destination} share="On iPhone and iPad" />}
        <Destination url={destination_url} />
        {unconditionalIndex >= 0 && (
          <Findings sentences={[`Never reached: rule ${unconditionalIndex + 1} is for everybody.`]} />
        )}
        {rules.length === 0 && (
          <p class="soft small">
            A rule redirects some visitors elsewhere: those in a country, on a phone, in opening hours, or a
            share of them to each of two pages.
          </p>
        )}
      </div>
    </div>
  );
}
