import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { printFigure } from '../support/figure.ts';
import { runScript } from '../support/program.ts';

/** `npm run test:faults` tries more. To repeat a failed seed with a trace, run `test/simulation/main.ts` with `--seed=N`. */
const seeds = process.env.ROUNDS === undefined ? 3 : Math.max(3, Number(process.env.ROUNDS));

test(`${seeds} seeds: each answered click counts once and has one id everywhere, and no node has a stale link`, async () => {
  const parts = seeds < 100 ? 1 : availableParallelism();
  const each = Math.ceil(seeds / parts);
  const runs = Array.from({ length: parts }, (_, index) =>
    runScript('../simulation/main.ts', {}, [`--from=${index * each + 1}`, `--seeds=${each}`]),
  );
  const codes = await Promise.all(runs.map(({ exited }) => exited));
  for (const run of runs) {
    const { out, err } = run.output();
    process.stderr.write(err);
    printFigure(out.trim());
  }
  expect(codes).toEqual(runs.map(() => 0));
}, 1_800_000);
