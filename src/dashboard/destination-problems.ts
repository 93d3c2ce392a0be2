import type { DestinationProblem, Link } from './api-types.ts';

const words: Readonly<Record<DestinationProblem['problem'], string>> = {
  broken: 'Broken',
  certificate: 'Bad certificate',
  moved: 'Moved',
  parked: 'Parked',
};

/** What is wrong with the destinations of a link, each once. */
export const problemWords = ({ destination_problems }: Link): readonly string[] => [
  ...new Set(destination_problems.map(({ problem }) => words[problem])),
];

const sentences: Readonly<Record<DestinationProblem['problem'], string>> = {
  broken: 'does not answer as it should.',
  certificate: 'has a certificate that browsers do not accept.',
  moved: 'has moved for good, to',
  parked: 'shows the page of a company that parks or sells domains.',
};

/** What stands behind its address. Where it has moved, the address that `detail` is follows. */
export const sentenceOf = ({ problem }: DestinationProblem): string => sentences[problem];
