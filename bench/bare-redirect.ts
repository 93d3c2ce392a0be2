/** The minimum cost of a redirect on this runtime: a server that only ever sends this response. */
const location = process.env.LOCATION ?? '';

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    new Response(null, { status: 302, headers: { location, 'cache-control': 'private, no-store' } }),
});
process.stdout.write(`The bare redirect listens on http://127.0.0.1:${server.port}\n`);
