import { useAction } from '../../action.ts';
import type { Organization } from '../../api-types.ts';
import { call } from '../../client.ts';
import { FormErrors } from '../../parts/error-box.tsx';
import { Switch } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { refresh, updateCached } from '../../queries.ts';

export function QrSection({ known }: { known: Organization }) {
  const turn = useAction(async (isOn: boolean) => {
    const show = (marker: boolean) =>
      updateCached<Organization>('organization', (before) => ({ ...before, qr_code_marker: marker }));
    show(isOn);
    try {
      await call('PATCH /api/v1/organization', { body: { qr_code_marker: isOn } });
    } catch (cause) {
      show(!isOn);
      throw cause;
    }
    refresh('organization');
  });
  return (
    <Section title="QR codes">
      <FormErrors error={turn.error.value} />
      <Switch
        label="New links distinguish scans from clicks"
        hint="Their QR codes contain the address followed by ?qr, so that statistics can count scans. Each link can have its own setting."
        isOn={known.qr_code_marker}
        onTurn={(isOn) => void turn.run(isOn)}
      />
    </Section>
  );
}
