import { useAction } from '../../action.ts';
import type { Organization } from '../../api-types.ts';
import { call } from '../../client.ts';
import { FormErrors } from '../../parts/error-box.tsx';
import { Switch } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { refresh, updateCached } from '../../queries.ts';

export function WatchSection({ known }: { known: Organization }) {
  const turn = useAction(async (isOn: boolean) => {
    const show = (watch_destinations: boolean) =>
      updateCached<Organization>('organization', (before) => ({ ...before, watch_destinations }));
    show(isOn);
    try {
      await call('PATCH /api/v1/organization', { body: { watch_destinations: isOn } });
    } catch (cause) {
      show(!isOn);
      throw cause;
    }
    refresh('organization');
  });
  return (
    <Section title="Destination watch">
      <FormErrors error={turn.error.value} />
      <Switch
        label="Check destinations once a day"
        hint={
          known.can_watch_destinations
            ? "Destinations that don't respond, have moved permanently, have a bad certificate or are parked are reported when found twice, an hour apart: in the list of links, and to administrators by mail. Each link can have its own setting."
            : 'The operator of this service has turned it off: nothing is checked, whatever is set here.'
        }
        isOn={known.watch_destinations}
        onTurn={(isOn) => void turn.run(isOn)}
      />
    </Section>
  );
}
