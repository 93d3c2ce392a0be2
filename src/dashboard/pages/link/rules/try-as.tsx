import { useSignal } from '@preact/signals';
import { useAction } from '../../../action.ts';
import type { LinkExplanation } from '../../../api-types.ts';
import { call } from '../../../client.ts';
import { storeIn } from '../../../handlers.ts';
import { SelectField } from '../../../parts/field.tsx';
import { Form, FormField, Submit } from '../../../parts/form.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { Panel } from '../../../parts/section.tsx';
import { setup } from '../../../session.ts';
import type { LinkForm } from '../form.ts';
import { InstantInput } from '../local-instant-field.tsx';
import { outcomeInWords, stepInWords } from './explanation-sentences.ts';
import type { Rule } from './rule.ts';
import { Destination } from './rule-row.tsx';
import { tryAgents } from './try-agents.ts';
import { choicesOf } from './value-choices.ts';

const countries = () =>
  choicesOf('country').flatMap(({ value, label, flag }) =>
    value === 'EU' ? [] : { value, label: flag ? `${flag} ${label}` : label },
  );
const languages = () => [{ value: '', label: 'No language' }, ...choicesOf('language')];

const asPage = (typed: string): string =>
  typed === '' || typed.includes('://') ? typed : `https://${typed}`;
const asSearch = (typed: string): string => (typed === '' ? '' : `?${typed.replace(/^[^?]*\?/, '')}`);

/** Shows where a described visitor would go, and why. */
export function TryAs({ form: { link, changed } }: { form: LinkForm }) {
  const country = useSignal('XX');
  const region = useSignal('');
  const city = useSignal('');
  const agent = useSignal('0');
  const language = useSignal('');
  const at = useSignal('');
  const referrer = useSignal('');
  const query = useSignal('');
  const shown = useSignal<ExplanationProps | null>(null);
  const action = useAction(async () => {
    const explanation = await call('POST /api/v1/link/{id}/explain', {
      params: { id: link.id },
      body: {
        country: country.value,
        region: region.value.trim(),
        city: city.value.trim(),
        user_agent: tryAgents[Number(agent.value)]?.userAgent ?? '',
        language: language.value,
        referrer: asPage(referrer.value.trim()),
        url: asSearch(query.value.trim()),
        ...(at.value !== '' && { at: at.value }),
        passed_gates: true,
      },
    });
    shown.value = { explanation, rules: link.rules };
  });
  const result = shown.value;
  return (
    <Panel title="Try as…" class="try-as" aside={changed.length > 0 && <span class="chip">As saved</span>}>
      <Form action={action} fields={['region', 'city', 'referrer', 'url', 'at']} canRetry>
        <div class="try-fields">
          <SelectField label="From" value={country.value} choices={countries()} onChoice={storeIn(country)} />
          {setup.value?.regions_known && (
            <FormField
              label="Region"
              signal={region}
              field="region"
              placeholder="DE-BY"
              maxLength={10}
              autocomplete="off"
            />
          )}
          {setup.value?.cities_known && (
            <FormField
              label="City"
              signal={city}
              field="city"
              placeholder="Munich"
              maxLength={100}
              autocomplete="off"
            />
          )}
          <SelectField
            label="With"
            value={agent.value}
            choices={tryAgents.map(({ label }, index) => ({ value: String(index), label }))}
            onChoice={storeIn(agent)}
          />
          <SelectField
            label="Reading"
            value={language.value}
            choices={languages()}
            onChoice={storeIn(language)}
          />
          <InstantInput
            label="At (now, if empty)"
            value={at.value}
            error={action.error.value?.sentenceFor('at')}
            onChange={storeIn(at)}
          />
          <FormField
            label="Coming from"
            signal={referrer}
            field="referrer"
            placeholder="No page"
            maxLength={2000}
            spellcheck={false}
            autocomplete="off"
          />
          <FormField
            label="With parameters"
            signal={query}
            field="url"
            placeholder="utm_source=mail"
            maxLength={2000}
            spellcheck={false}
            autocomplete="off"
          />
        </div>
        <div class="actions">
          <Submit>Show the result</Submit>
        </div>
      </Form>
      <div role="status">
        {result && (
          <div class="try-outcome">
            <p>
              <strong>{outcomeInWords(result.explanation, result.rules)}</strong>
            </p>
            {result.explanation.to !== null && <Destination url={result.explanation.to} />}
          </div>
        )}
      </div>
      {result && <Steps {...result} />}
    </Panel>
  );
}

interface ExplanationProps {
  readonly explanation: LinkExplanation;
  /** The rules to which it refers. */
  readonly rules: readonly Rule[];
}

const Mark = ({ isMet }: { isMet: boolean }) => (
  <span class={isMet ? 'try-mark met' : 'try-mark'}>
    <Icon name={isMet ? 'check' : 'close'} size={16} />
    <span class="unseen">{isMet ? 'Yes: ' : 'No: '}</span>
  </span>
);

const Steps = ({ explanation, rules }: ExplanationProps) => (
  <ol class="stack close try-steps" aria-label="Steps">
    {explanation.steps.map((step, index) => {
      const { passed, sentence, conditions } = stepInWords(step, rules);
      return (
        <li key={String(index)}>
          <Mark isMet={passed} />
          <div>
            <p>{sentence}</p>
            {conditions.length > 0 && (
              <ul class="soft small">
                {conditions.map(({ isMatched, phrase, visitorValue }) => (
                  <li key={phrase}>
                    <Mark isMet={isMatched} />
                    <span>
                      {phrase} (here: <bdi>{visitorValue}</bdi>)
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </div>
        </li>
      );
    })}
  </ol>
);
