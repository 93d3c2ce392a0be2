/** A start that can't go on. Its message is one line for the person who started it. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
