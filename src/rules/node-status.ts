/** A process with the state that it reported last. */
export interface ReportedProcess {
  readonly node: string;
  readonly host_name: string;
  readonly version: string;
  readonly started_at: number;
  readonly seen_at: number;
  readonly waiting_clicks: number;
  readonly waiting_since: number | null;
  /** Of the node: each of its processes reports the same. */
  readonly waiting_bytes: number;
}

/** A node: a data folder with the processes that use it. */
export interface NodeStatus {
  readonly id: string;
  readonly hostName: string;
  readonly versions: readonly string[];
  readonly processes: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** None of its processes has reported anything for a minute. */
  readonly isGone: boolean;
  /** Clicks in its journal that were not in the database when it last reported, as far as its processes knew. */
  readonly waitingClicks: number;
  /** When the oldest of them arrived. */
  readonly waitingSince: number | null;
  /** The same in bytes, including those that earlier processes have left. */
  readonly waitingBytes: number;
}

/** Milliseconds: the clocks of nodes agree to about half a minute. */
export const goneAfter = 60_000;

/** For a running node, ended processes don't count: the others include in their bytes what those have left. */
export function nodesOf(processes: readonly ReportedProcess[], now: number): NodeStatus[] {
  const nodes = [...Map.groupBy(processes, ({ node }) => node)];
  return nodes
    .map(([id, all]) => {
      const running = all.filter(({ seen_at }) => now - seen_at < goneAfter);
      const counted = running.length > 0 ? running : all;
      const newest = counted.reduce((one, other) => (other.seen_at > one.seen_at ? other : one));
      const since = counted.flatMap(({ waiting_since }) => waiting_since ?? []);
      return {
        id,
        hostName: newest.host_name,
        versions: [...new Set(counted.map(({ version }) => version))].sort(),
        processes: counted.length,
        startedAt: Math.min(...counted.map(({ started_at }) => started_at)),
        seenAt: newest.seen_at,
        isGone: running.length === 0,
        waitingClicks: counted.reduce((sum, { waiting_clicks }) => sum + waiting_clicks, 0),
        waitingSince: since.length === 0 ? null : Math.min(...since),
        waitingBytes: newest.waiting_bytes,
      };
    })
    .sort((one, other) => one.hostName.localeCompare(other.hostName) || one.id.localeCompare(other.id));
}

/** Whether clicks wait on a node that is gone. */
export const hasStrandedClicks = ({ isGone, waitingClicks, waitingBytes }: NodeStatus): boolean =>
  isGone && (waitingClicks > 0 || waitingBytes > 0);
