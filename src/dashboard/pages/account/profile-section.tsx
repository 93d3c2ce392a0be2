import { call } from '../../client.ts';
import { NameSection } from '../../parts/name-section.tsx';
import { me } from '../../session.ts';

export const ProfileSection = () => (
  <NameSection
    about="How your organization sees you."
    label="Your name"
    autocomplete="name"
    known={me.value?.name ?? ''}
    save={async (name) => {
      me.value = await call('PATCH /api/v1/user', { body: { name } });
      return me.value.name ?? '';
    }}
  />
);
