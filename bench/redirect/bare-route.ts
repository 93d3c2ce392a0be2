/** The minimum of Bun's server: one static route. */
const { PORT = '0', SUFFIX = '', LOCATION = '' } = process.env;
const headers = { location: LOCATION, 'cache-control': 'private, no-store' };
Bun.serve({
  port: Number(PORT),
  hostname: '127.0.0.1',
  routes: { [`/${SUFFIX}`]: new Response(null, { status: 302, headers }) },
  fetch: () => new Response(null, { status: 404 }),
});

export {};
