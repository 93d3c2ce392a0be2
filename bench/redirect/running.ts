import type { Subprocess } from 'bun';
import { killOnExit } from '../exit-cleanup.ts';
import type { Contender } from './contenders.ts';
import { contenderCore } from './cores.ts';
import { cpuWithExited, memoryOf, switchesOf, treeOf } from './process-tree.ts';
import { toolPath } from './tools.ts';

const timeout = 60_000;
/**
 * Microseconds of CPU in a second: the jobs of an idle Linnet take half of it. With a threshold that they reach, a round would end
 * by chance, and its visits would be charged for the seconds before.
 */
const maxIdleCpu = 50_000;
const anyCertificate = { tls: { rejectUnauthorized: false } };

/** A contender that has been started and is ready. */
export class Running implements AsyncDisposable {
  readonly contender: Contender;
  readonly #child: Subprocess;

  private constructor(contender: Contender, child: Subprocess) {
    this.contender = contender;
    this.#child = child;
  }

  static async start(contender: Contender, cores = contenderCore): Promise<Running> {
    const { PATH = '', HOME = '' } = process.env;
    const child = Bun.spawn([toolPath('taskset'), '-c', cores, ...contender.command], {
      env: { PATH, HOME, ...contender.settings },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    });
    killOnExit(child);
    const running = new Running(contender, child);
    await running.#waitUntilReady();
    return running;
  }

  get url(): string {
    const { port, isSecure = false } = this.contender;
    return `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;
  }

  get pid(): number {
    return this.#child.pid;
  }

  cpu(): number {
    const { pid } = this.#child;
    if (treeOf(pid).length === 0)
      throw new Error(`${this.contender.name} has ended, or its CPU time can't be read`);
    // The dashboard is bundled by a process that ends: without its time, the round would have a negative one.
    return cpuWithExited(pid);
  }

  switches(): number {
    return switchesOf(treeOf(this.#child.pid));
  }

  memory(): number {
    return memoryOf(treeOf(this.#child.pid));
  }

  /** Resolves when it has been idle for longer than the fold ever waits for more hits. */
  async untilIdle(): Promise<void> {
    for (let before = this.cpu(); ; ) {
      await Bun.sleep(1_000);
      const now = this.cpu();
      if (now - before <= maxIdleCpu) return;
      before = now;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    const killTimer = setTimeout(() => this.#child.kill('SIGKILL'), 20_000);
    await this.#child.exited;
    clearTimeout(killTimer);
  }

  async #waitUntilReady(): Promise<void> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const response = await fetch(`${this.url}/`, { redirect: 'manual', ...anyCertificate }).catch(
        () => null,
      );
      if (response !== null && response.status !== 503) return;
      if (this.#child.exitCode !== null || performance.now() > deadline)
        throw new Error(`${this.contender.name} does not answer at ${this.url}`);
      await Bun.sleep(20);
    }
  }
}
