import type { DestinationProblem, Link } from './api-types.ts';

interface ProblemText {
  readonly word: string;
  /** The text after its address. For a moved destination, the address in `detail` follows. */
  readonly sentence: string;
}

export const problemTexts: Readonly<Record<DestinationProblem['problem'], ProblemText>> = {
  broken: { word: 'Broken', sentence: 'does not answer as it should.' },
  certificate: { word: 'Bad certificate', sentence: 'has a certificate that browsers do not accept.' },
  moved: { word: 'Moved', sentence: 'has moved permanently, to' },
  parked: { word: 'Parked', sentence: 'shows the page of a company that parks or sells domains.' },
};

/** The problems of a link's destinations, each once. */
export const problemWords = ({ destination_problems }: Link): readonly string[] => [
  ...new Set(destination_problems.map(({ problem }) => problemTexts[problem].word)),
];
