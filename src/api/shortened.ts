/** A caller's text as an error repeats it: cut between characters, never inside one. */
export const shortened = (text: string): string =>
  text.length > 60 ? `${[...text.slice(0, 61)].slice(0, 60).join('').toWellFormed()}…` : text;
