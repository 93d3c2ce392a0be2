import type { Link, Stats } from '../api-types.ts';
import { counted } from '../format.ts';
import { Skeleton } from '../parts/page.tsx';
import { useQuery } from '../queries.ts';
import { usePrevious } from '../use-previous.ts';
import { CardFrame } from './breakdown-card.tsx';
import { nameOfRule } from './rule-names.ts';
import { loadStats } from './scope.ts';
import { shareSentence } from './split-share.ts';
import { keyFor, statsQueryOf, type View } from './view.ts';

/** For each rule with variants: the share of visitors per variant, and its confidence. Without the board's filters. */
export function SplitCard({ view, rules }: { view: View; rules: Link['rules'] }) {
  const statsQuery = statsQueryOf(view, {}, 'variant');
  const query = useQuery(`${keyFor(view, statsQuery)} split`, () => loadStats(view.scope, statsQuery));
  const { data, isOld } = usePrevious(query);
  return (
    <CardFrame title="Splits" class={isOld ? 'splits old' : 'splits'}>
      <div class="stack even splits-body">
        {!data && !query.error.value && <Skeleton height={120} />}
        {!data && query.error.value && <p class="soft">{query.error.value.message}</p>}
        {data &&
          rules.map(
            (rule, index) =>
              rule.variants && (
                <div key={rule.id} class="split">
                  <h4>{nameOfRule(rule, index)}</h4>
                  <Shares
                    ruleId={rule.id}
                    variants={rule.variants.map(({ id }) => id)}
                    groups={data.groups ?? []}
                  />
                </div>
              ),
          )}
        <p class="soft small">
          Each visitor counts once a day (UTC), with the variant of the first click. The true share lies in
          the interval in 95 of 100 cases.
        </p>
      </div>
    </CardFrame>
  );
}

interface SharesProps {
  readonly ruleId: string;
  readonly variants: readonly string[];
  readonly groups: NonNullable<Stats['groups']>;
}

/** The current variants, and removed ones that visitors were sent to. */
function Shares({ ruleId, variants, groups }: SharesProps) {
  const ruleGroups = groups.filter(({ value }) => value?.startsWith(`${ruleId}/`));
  const groupOf = (id: string) => ruleGroups.find(({ value }) => value === `${ruleId}/${id}`);
  const removed = ruleGroups
    .map(({ value }) => (value ?? '').slice(ruleId.length + 1))
    .filter((id) => !variants.includes(id));
  const all = ruleGroups.reduce((sum, { visitors }) => sum + (visitors ?? 0), 0);
  if (all === 0) return <p class="soft">Nobody was redirected to a variant in this period.</p>;
  return (
    <ul>
      {[...variants, ...removed].map((id) => {
        const { visitors = 0, clicks = 0 } = groupOf(id) ?? {};
        return (
          <li key={id}>
            <strong>{id}</strong>
            {removed.includes(id) && <span class="soft"> (removed)</span>}:{' '}
            {shareSentence(visitors ?? 0, all)}; {counted(clicks, 'click')}.
          </li>
        );
      })}
    </ul>
  );
}
