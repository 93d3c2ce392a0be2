/** The prefix of the output lines that `npm run test:faults` prints. */
export const figureMark = 'figure: ';

export const figure = (text: string): void => console.info(figureMark + text);
