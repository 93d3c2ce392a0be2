/** The prefix of the output lines that `npm run test:faults` prints. */
export const figurePrefix = 'figure: ';

export const printFigure = (text: string): void => console.info(figurePrefix + text);
