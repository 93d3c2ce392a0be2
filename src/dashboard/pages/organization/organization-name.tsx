import type { Organization } from '../../api-types.ts';
import { call } from '../../client.ts';
import { NameSection } from '../../parts/name-section.tsx';
import { Section } from '../../parts/section.tsx';
import { refresh } from '../../queries.ts';
import { me } from '../../session.ts';

export function OrganizationName({ known, isEditable }: { known: Organization; isEditable: boolean }) {
  if (!isEditable) {
    return (
      <Section title="Name">
        <p>{known.name}</p>
      </Section>
    );
  }
  return (
    <NameSection
      about="Shown to members and to whoever is invited."
      label="The organization's name"
      required
      maxLength={200}
      known={known.name}
      save={async (name) => {
        const changed = await call('PATCH /api/v1/organization', { body: { name } });
        if (me.value) me.value = { ...me.value, organization_name: changed.name };
        refresh('organization');
        return changed.name;
      }}
    />
  );
}
