import { readInstanceHealth, readInstanceNodes } from '../manage/instance.ts';
import { formatIso, formatIsoOrNull } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { InstanceHealth, InstanceNodes } from './schemas/instance.ts';

export const health = endpoint({
  summary: 'Read the health of the service',
  description:
    'For administrators of the organization that runs the service, which is that of the first account. The same as the command `doctor`: settings, disk, clock, DNS, certificates, proxies, database, mail, backlog, backups. It may take some seconds.',
  administratorsOnly: true,
  statuses: { 200: 'The findings.' },
  answer: InstanceHealth,
  handle: async ({ caller }, context) => {
    const findings = await readInstanceHealth(context, caller);
    return { is_well: findings.every(({ state }) => state !== 'problem'), findings: [...findings] };
  },
});

export const nodes = endpoint({
  summary: 'List the nodes of the service',
  description:
    'For administrators of the organization that runs the service, which is that of the first account. The same as the command `nodes`: each node with its version, when it last reported, and the clicks in its journal that are not in the database. Those of a node that is gone wait until its data folder is back or `linnet fold` has read it.',
  administratorsOnly: true,
  statuses: { 200: 'The nodes.' },
  answer: InstanceNodes,
  handle: async ({ caller }, context) => {
    const found = await readInstanceNodes(context, caller);
    return {
      nodes: found.map((node) => ({
        node: node.id,
        host_name: node.hostName,
        versions: [...node.versions],
        processes: node.processes,
        started_at: formatIso(node.startedAt),
        seen_at: formatIso(node.seenAt),
        is_gone: node.isGone,
        waiting_clicks: node.waitingClicks,
        waiting_since: formatIsoOrNull(node.waitingSince),
        waiting_bytes: node.waitingBytes,
      })),
    };
  },
});
