/** How much to measure. */
export interface Effort {
  readonly isQuick: boolean;
  readonly creations: Rounds;
  readonly reads: Rounds;
  readonly redirects: Rounds;
  readonly clicks: Rounds;
  /** The number of hits to fold. */
  readonly folded: number;
  readonly store: Rounds & { readonly small: number; readonly large: number };
  readonly stats: StatsRounds;
  readonly starts: number;
  /** Names, each with its own certificate, and handshakes per round. */
  readonly names: {
    readonly few: number;
    readonly many: number;
    readonly rounds: number;
    readonly handshakes: number;
  };
  readonly neighbours: { readonly rounds: number; readonly links: number; readonly clicks: number };
}

export interface Rounds {
  readonly rounds: number;
  /** How long each contender is under load per round. */
  readonly seconds: number;
}

export interface StatsRounds {
  readonly links: number;
  /** Every n-th link has roll-ups by country. */
  readonly detailedEvery: number;
  readonly calls: number;
}

/** For figures worth keeping. */
export const full: Effort = {
  isQuick: false,
  creations: { rounds: 5, seconds: 1.2 },
  reads: { rounds: 3, seconds: 1 },
  redirects: { rounds: 7, seconds: 1.5 },
  clicks: { rounds: 9, seconds: 1.2 },
  folded: 2_000_000,
  store: { rounds: 7, seconds: 0.5, small: 1_000, large: 1_000_000 },
  stats: { links: 10_000, detailedEvery: 20, calls: 200 },
  starts: 7,
  names: { few: 100, many: 10_000, rounds: 5, handshakes: 4_000 },
  neighbours: { rounds: 5, links: 10_000, clicks: 60_000 },
};

/** For checking that the bench works. */
export const quick: Effort = {
  isQuick: true,
  creations: { rounds: 2, seconds: 0.3 },
  reads: { rounds: 1, seconds: 0.2 },
  redirects: { rounds: 3, seconds: 0.4 },
  clicks: { rounds: 3, seconds: 0.4 },
  folded: 50_000,
  store: { rounds: 2, seconds: 0.2, small: 1_000, large: 20_000 },
  stats: { links: 200, detailedEvery: 20, calls: 20 },
  starts: 1,
  names: { few: 20, many: 500, rounds: 1, handshakes: 200 },
  neighbours: { rounds: 1, links: 1_000, clicks: 5_000 },
};
