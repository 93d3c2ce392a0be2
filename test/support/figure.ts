/** Begins the lines that `npm run test:faults` prints of a test's output. */
export const figureMark = 'figure: ';

export const figure = (text: string): void => console.info(figureMark + text);
