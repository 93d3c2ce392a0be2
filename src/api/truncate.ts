/** A caller's text in an error: never cut inside a character. */
export const truncated = (text: string): string =>
  text.length > 60 ? `${[...text.slice(0, 61)].slice(0, 60).join('').toWellFormed()}…` : text;
