import { cpuTime } from './cpu-time.ts';
import { load } from './load.ts';
import type { Program } from './program.ts';
import { browserHeaders } from './redirect/browser-headers.ts';
import { requestBytes } from './request.ts';

export const connections = 64;

/** A program whose link is visited, in alternation with others. */
export class Contender {
  readonly cpu: number[] = [];
  readonly busy: number[] = [];
  readonly perSecond: number[] = [];
  readonly #program: Program;
  readonly #visit: Uint8Array;

  constructor(program: Program, suffix: string) {
    this.#program = program;
    this.#visit = requestBytes(program.port, 'GET', `/${suffix}`, browserHeaders);
  }

  async warmUp(seconds: number): Promise<void> {
    await this.#visits(seconds);
  }

  async round(seconds: number): Promise<void> {
    const before = cpuTime(this.#program);
    const run = await this.#visits(seconds);
    const after = cpuTime(this.#program);
    this.perSecond.push(run.perSecond);
    if (before === null || after === null) return;
    this.cpu.push((after - before) / run.requests);
    this.busy.push(((after - before) / 1e6 / run.seconds) * 100);
  }

  #visits(seconds: number) {
    return load(this.#program, { connections, seconds, status: 302, next: () => this.#visit });
  }
}

/** Each round measures every contender, starting with a different one: a disturbance of the machine affects all of them. */
export async function inRounds(
  contenders: readonly Contender[],
  rounds: number,
  seconds: number,
): Promise<void> {
  for (const contender of contenders) await contender.warmUp(seconds);
  for (let round = 0; round < rounds; round++) {
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
      await contender.round(seconds);
  }
}
