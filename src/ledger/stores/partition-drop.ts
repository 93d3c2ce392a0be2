import { dropPartitions, type Partition } from './partitions.ts';
import { PostgresConnection } from './postgres-connection.ts';

/** Reads end long before that. If a drop takes longer, the next one continues it. */
const timeout = 60_000;

/** Drops partitions over a connection of its own, which waits for statements that still read them, so that the fold doesn't wait. */
export class PartitionDrop {
  readonly #connection: PostgresConnection;
  readonly #done: Promise<void>;
  isOver = false;
  fault: Error | null = null;

  constructor(url: string, partitions: readonly Partition[]) {
    this.#connection = new PostgresConnection(url, { name: 'linnet retention', timeout });
    this.#done = dropPartitions(this.#connection.query, partitions)
      .catch((cause: Error) => {
        this.fault = cause;
      })
      .then(() => this.#connection.close())
      .finally(() => {
        this.isOver = true;
      });
  }

  async stop(): Promise<void> {
    await this.#connection.close();
    await this.#done;
  }
}
