import { type Config, options } from './options.ts';

/** A setting that can't be used: the sentence is all its reader needs. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const entries = Object.entries(options).map(([name, option]) => {
    const given = environment[option.variable];
    const text = given === undefined || given === '' ? option.default : given;
    try {
      return [name, option.parse(text)];
    } catch (cause) {
      const shown = option.secret ? 'set' : `"${text}"`;
      throw new ConfigProblem(`${option.variable} is ${shown}: ${(cause as Error).message}.`);
    }
  });
  return Object.fromEntries(entries) as Config;
}
