import { readInstanceNodes } from '../manage/instance-nodes.ts';
import { formatIso, formatIsoOrNull } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { InstanceNodes } from './schemas/instance-node.ts';

export const list = endpoint({
  summary: 'List the nodes of the service',
  description:
    'For administrators of the organization that runs the service, which is that of the first account. The same as the command `nodes`: each node with its version, when it last reported, and the clicks in its journal that are not in the database. Those of a node that is gone wait until its data folder is back or `linnet fold` has read it.',
  permission: 'manage_members',
  statuses: { 200: 'The nodes.' },
  answer: InstanceNodes,
  handle: async ({ caller }, context) => {
    const nodes = await readInstanceNodes(context, caller);
    return {
      nodes: nodes.map((node) => ({
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
