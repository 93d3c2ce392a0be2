/** What a redirect costs at the least on this runtime: the same answer, from a server that knows nothing else. */
const location = process.env.LOCATION ?? '';

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    new Response(null, { status: 302, headers: { location, 'cache-control': 'private, no-store' } }),
});
process.stdout.write(`The bare redirect listens on http://127.0.0.1:${server.port}\n`);
