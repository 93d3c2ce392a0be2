/**
 * From this length on, the runtime writes a response that comes after an `await` in parts, with a system call for each name and
 * each value of its headers (oven-sh/bun#41341); the headers of a stream it writes at once. Answering with 70 KB took 175 µs of CPU,
 * and takes 31 µs with a stream. Needed until this is fixed in the runtime.
 */
const minLength = 15 * 1024;

/**
 * The body of an answer. A stream is sent without its length, which a client that closes the connection, as in HTTP/1.0, would
 * need. The port sets `Connection: close` in the request of such a client, whatever the client sent.
 */
export const bodyOf = (text: string, clientCloses: boolean): string | ReadableStream<string> =>
  text.length < minLength || clientCloses ? text : streamOf(text);

/** The runtime encodes it. */
const streamOf = (text: string) =>
  new ReadableStream<string>({
    start(controller) {
      controller.enqueue(text);
      controller.close();
    },
  });
