export type TextChunks = (disconnected: AbortSignal) => AsyncGenerator<string, void, undefined>;

/**
 * A body generated from texts on demand: nothing is generated that the client doesn't read. Nothing runs before the first chunk is
 * read, which never happens for HEAD. `disconnected` is aborted when the client disconnects.
 */
export function textStream(
  chunks: TextChunks,
  onFault: (cause: unknown) => void,
): ReadableStream<Uint8Array> {
  const client = new AbortController();
  const encoder = new TextEncoder();
  let running: AsyncGenerator<string, void, undefined> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        running ??= chunks(client.signal);
        try {
          const { value, done } = await running.next();
          if (client.signal.aborted) return;
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (cause) {
          if (client.signal.aborted) return;
          onFault(cause);
          controller.error(cause);
        }
      },
      async cancel() {
        client.abort();
        await running?.return();
      },
    },
    { highWaterMark: 0 },
  );
}
