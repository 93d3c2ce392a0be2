import type { Config } from '../config/options.ts';

interface Restartable {
  readonly url: string;
  readonly port: number;
  readonly moved: Promise<void>;
  stop(): Promise<void>;
}

/** The app of a process. When the public address changes, the app is stopped and created again on the same port. */
export class RestartableApp<App extends Restartable> {
  readonly #create: (config: Config) => Promise<App>;
  #current: Promise<App>;

  constructor(config: Config, create: (config: Config) => Promise<App>) {
    this.#create = create;
    this.#current = this.#begin(config);
  }

  get current(): Promise<App> {
    return this.#current;
  }

  async #begin(config: Config): Promise<App> {
    const app = await this.#create(config);
    void app.moved.then(() => this.#restart(app, config));
    return app;
  }

  #restart(previous: App, config: Config): void {
    this.#current = previous.stop().then(() => this.#begin({ ...config, port: previous.port }));
    this.#current.then(
      ({ url }) =>
        process.stdout.write(`\nLinnet is at ${url} from now on, as the first account has set it.\n`),
      (cause: Error) => {
        process.stderr.write(`Linnet could not start again: ${cause.message}\n`);
        process.exit(1);
      },
    );
  }
}
