/** Prometheus' promtool, from Debian's package `prometheus`; null where it isn't installed. */
export const promtool = Bun.which('promtool');

/** Its output if it found a problem, or an empty string. */
export async function promtoolProblems(
  commandArguments: readonly string[],
  stdin = '',
  cwd?: string,
): Promise<string> {
  const program = Bun.spawn([promtool ?? 'promtool', ...commandArguments], {
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
    ...(cwd && { cwd }),
  });
  const output = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
  ]);
  return (await program.exited) === 0 ? '' : output.join('');
}
