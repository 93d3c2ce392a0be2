import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './support/program.ts';

test("the tests don't use a browser that another user has unpacked in the temporary folder", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'chromium'), 'half a browser, or one that only its owner may start');
  const module = JSON.stringify(join(import.meta.dir, 'support', 'chromium.ts'));
  const script = `process.stdout.write(await (await import(${module})).chromiumPath())`;
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, TMPDIR: folder.path },
    stderr: 'inherit',
  });
  const program = await new Response(child.stdout).text();
  expect(program).not.toStartWith(folder.path);
  expect(statSync(program).size).toBeGreaterThan(100_000_000);
});
