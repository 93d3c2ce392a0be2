import type { DestinationProblem, Link } from './api-types.ts';

const words: Readonly<Record<DestinationProblem['problem'], string>> = {
  broken: 'Broken',
  certificate: 'Bad certificate',
  moved: 'Moved',
  parked: 'Parked',
};

/** The problems of a link's destinations, each once. */
export const problemWords = ({ destination_problems }: Link): readonly string[] => [
  ...new Set(destination_problems.map(({ problem }) => words[problem])),
];

const sentences: Readonly<Record<DestinationProblem['problem'], string>> = {
  broken: 'does not answer as it should.',
  certificate: 'has a certificate that browsers do not accept.',
  moved: 'has moved permanently, to',
  parked: 'shows the page of a company that parks or sells domains.',
};

/** The text after its address. For a moved destination, the address in `detail` follows. */
export const sentenceOf = ({ problem }: DestinationProblem): string => sentences[problem];
