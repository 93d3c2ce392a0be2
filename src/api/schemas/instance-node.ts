import { z } from 'zod';
import { stamp } from './parts.ts';

const InstanceNode = z
  .object({
    node: z.string().meta({ description: 'The id in the file `node.id` of its data folder.' }),
    host_name: z.string(),
    versions: z.array(z.string()).meta({ description: 'More than one during an upgrade.' }),
    processes: z.int().meta({ description: 'Its workers.' }),
    started_at: stamp,
    seen_at: stamp.meta({ description: 'When it last reported; it does so every ten seconds.' }),
    is_gone: z.boolean().meta({ description: "Whether it hasn't reported for a minute." }),
    waiting_clicks: z
      .int()
      .meta({ description: 'Clicks in its journal that were not in the database when it last reported.' }),
    waiting_since: z.nullable(stamp).meta({ description: 'When the oldest of them arrived.' }),
    waiting_bytes: z
      .int()
      .meta({ description: 'The same in bytes, including clicks left by earlier processes of the node.' }),
  })
  .meta({ id: 'InstanceNode' });

export const InstanceNodes = z.object({ nodes: z.array(InstanceNode) }).meta({ id: 'InstanceNodes' });
