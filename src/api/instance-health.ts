import { readInstanceHealth } from '../manage/instance-health.ts';
import { endpoint } from './endpoint.ts';
import { InstanceHealth } from './schemas/instance-health.ts';

export const read = endpoint({
  summary: 'Read the health of the service',
  description:
    'For administrators of the organization that runs the service, which is that of the first account. The same as the command `doctor`: settings, disk, clock, DNS, certificates, proxies, database, mail, backlog, backups. It may take some seconds.',
  permission: 'manage_members',
  statuses: { 200: 'The findings.' },
  answer: InstanceHealth,
  handle: async ({ caller }, context) => {
    const findings = await readInstanceHealth(context, caller);
    return { is_well: findings.every(({ state }) => state !== 'problem'), findings: [...findings] };
  },
});
