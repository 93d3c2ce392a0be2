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
  /** When the oldest of them came. */
  readonly waitingSince: number | null;
  /** The same in bytes, including those that earlier processes have left. */
  readonly waitingBytes: number;
}

/** Milliseconds: the clocks of nodes agree to about half a minute. */
export const goneAfter = 60_000;

/** For a running node, ended processes don't count: what they left is in the bytes of the others. */
export function nodesOf(processes: readonly ReportedProcess[], now: number): NodeStatus[] {
  const nodes = [...Map.groupBy(processes, ({ node }) => node)];
  return nodes
    .map(([id, all]) => {
      const here = all.filter(({ seen_at }) => now - seen_at < goneAfter);
      const told = here.length > 0 ? here : all;
      const newest = told.reduce((one, other) => (other.seen_at > one.seen_at ? other : one));
      const since = told.flatMap(({ waiting_since }) => waiting_since ?? []);
      return {
        id,
        hostName: newest.host_name,
        versions: [...new Set(told.map(({ version }) => version))].sort(),
        processes: told.length,
        startedAt: Math.min(...told.map(({ started_at }) => started_at)),
        seenAt: newest.seen_at,
        isGone: here.length === 0,
        waitingClicks: told.reduce((sum, { waiting_clicks }) => sum + waiting_clicks, 0),
        waitingSince: since.length === 0 ? null : Math.min(...since),
        waitingBytes: newest.waiting_bytes,
      };
    })
    .sort((one, other) => one.hostName.localeCompare(other.hostName) || one.id.localeCompare(other.id));
}

/** Whether clicks wait on a node that is gone. */
export const hasStrandedClicks = ({ isGone, waitingClicks, waitingBytes }: NodeStatus): boolean =>
  isGone && (waitingClicks > 0 || waitingBytes > 0);
