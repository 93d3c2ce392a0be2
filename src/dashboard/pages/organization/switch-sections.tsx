import { useRef } from 'preact/hooks';
import { useAction } from '../../action.ts';
import type { Organization } from '../../api-types.ts';
import { call } from '../../client.ts';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Switch } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { refresh, updateCached } from '../../queries.ts';
import { setup } from '../../session.ts';

export const QrSection = ({ organization }: { organization: Organization }) => (
  <SwitchSection
    title="QR codes"
    label="New links distinguish scans from clicks"
    hint="Their QR codes contain the address followed by ?qr, so that statistics can count scans. Each link can have its own setting."
    field="qr_code_marker"
    organization={organization}
  />
);

export const WatchSection = ({ organization }: { organization: Organization }) => (
  <SwitchSection
    title="Destination watch"
    label="Check destinations once a day"
    hint={
      organization.can_watch_destinations
        ? `Destinations that don't respond, have moved permanently, have a bad certificate or are parked are reported when found twice, an hour apart: in the list of links${setup.value?.mail ? ', and to administrators by mail' : ''}. Each link can have its own setting.`
        : 'The operator of this service has turned it off: nothing is checked, whatever is set here.'
    }
    field="watch_destinations"
    organization={organization}
  />
);

interface SwitchSectionProps {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly field: 'qr_code_marker' | 'watch_destinations';
  readonly organization: Organization;
}

/** The switch moves at once, and back if the change fails. */
function SwitchSection({ title, label, hint, field, organization }: SwitchSectionProps) {
  const wanted = useRef(false);
  const show = (value: boolean) =>
    updateCached<Organization>('organization', (before) => ({ ...before, [field]: value }));
  const change = useAction(async () => {
    let saved = !wanted.current;
    try {
      // It may be switched again while a call is under way.
      while (saved !== wanted.current) {
        const sent = wanted.current;
        await call('PATCH /api/v1/organization', { body: { [field]: sent } });
        saved = sent;
      }
    } catch (cause) {
      show(saved);
      throw cause;
    }
    refresh('organization');
  });
  return (
    <Section title={title}>
      <ErrorBox error={change.error.value} />
      <Switch
        label={label}
        hint={hint}
        isOn={organization[field]}
        onToggle={(isOn) => {
          wanted.current = isOn;
          show(isOn);
          void change.run();
        }}
      />
    </Section>
  );
}
