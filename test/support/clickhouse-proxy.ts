type Forward = () => Promise<Response>;

/** An answer of ClickHouse that it can't do something now. */
export const errorResponse = async () => new Response('Code: 999. DB::Exception: not now', { status: 500 });

/** A proxy between Linnet and ClickHouse that lets a test intercept insertions of hits. */
export class ClickhouseProxy implements Disposable {
  /** Called for each insertion of hits; null forwards it. */
  onInsertion: ((forward: Forward) => Promise<Response>) | null = null;
  /** Called for each other statement; null forwards it. */
  onStatement: ((sql: string, forward: Forward) => Promise<Response>) | null = null;
  readonly #server: ReturnType<typeof Bun.serve>;
  readonly #target: URL;

  constructor(url: string) {
    this.#target = new URL(url.replace(/^clickhouse/, 'http'));
    this.#server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.#handle(request) });
  }

  get url(): string {
    const { username, password, pathname } = this.#target;
    const user = username === '' ? '' : `${username}:${password}@`;
    return `clickhouse://${user}127.0.0.1:${this.#server.port}${pathname}`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  async #handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { headers } = request;
    const body = await request.arrayBuffer();
    const forward: Forward = async () => {
      const response = await fetch(`http://${this.#target.host}/${url.search}`, {
        method: 'POST',
        headers,
        body,
      });
      const { status, headers: answered } = response;
      return new Response(await response.arrayBuffer(), { status, headers: answered });
    };
    const isInsertion = url.searchParams.get('query')?.startsWith('insert into hits') ?? false;
    if (isInsertion) return this.onInsertion?.(forward) ?? forward();
    return this.onStatement?.(Buffer.from(body).toString(), forward) ?? forward();
  }
}
