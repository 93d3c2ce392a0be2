/** One problem that the API reports, and its field. */
interface Problem {
  readonly code: string;
  readonly sentence: string;
  readonly field: string | null;
}

/** A call of the API that failed. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 if no answer came. */
  readonly status: number;
  readonly problems: readonly Problem[];
  readonly retryAfter: number | null;

  constructor(status: number, problems: readonly Problem[], retryAfter: number | null = null) {
    super(problems[0]?.sentence ?? 'Something went wrong.');
    this.status = status;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }

  get code(): string {
    return this.problems[0]?.code ?? '';
  }

  /** Whether a retry may help, because the fault is not in the request. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** The sentence shown beside the field, where the API's name of it says nothing to the user. */
  sentenceFor(field: string): string | null {
    const problem = this.problems.find((one) => one.field === field);
    const name = `"${field}" `;
    if (!problem?.sentence.startsWith(name)) return problem?.sentence ?? null;
    return `This ${problem.sentence.slice(name.length)}`;
  }

  /** The problems of fields that the form does not show, and of the request as a whole. */
  problemsOutside(fields: readonly string[]): readonly Problem[] {
    return this.problems.filter(({ field }) => field === null || !fields.includes(field));
  }
}

const connectionError = (code: string, what: string): ApiError =>
  new ApiError(0, [{ code, sentence: `${what} Check the connection; what you typed is kept.`, field: null }]);

export const unreachable = (): ApiError => connectionError('UNREACHABLE', "Linnet can't be reached.");

/** A page of a proxy or portal, or another server, answered. */
export const unexpectedResponse = (): ApiError =>
  connectionError('NOT_UNDERSTOOD', 'Something other than Linnet answered.');

interface ErrorBody {
  readonly error_code?: string;
  readonly error_string?: string;
  readonly field_key?: string;
  readonly errors?: readonly ErrorBody[];
}

/** Read once the user has signed in again. */
const sessionHadEnded = 'Your session had ended, so nothing was done. Try again.';
/** Instead of sentences that name calls, headers or ids, which the API has for programs. */
const ownSentences: Readonly<Record<string, string>> = {
  KEY_MISSING: sessionHadEnded,
  SESSION_ENDED: sessionHadEnded,
  TAG_NOT_FOUND: 'A tag that was chosen here has been deleted. Remove it, or choose another.',
  SCHEDULED_APPLIED:
    'This change has been made already. The history of the link leads back to the state before it.',
};

/** Instead of the ends of sentences that do so. */
const ownEnds: Readonly<Record<string, readonly [end: RegExp, own: string]>> = {
  SUFFIX_TAKEN: [
    / link \d+ of your own organization, perhaps made by this call .*$/,
    ' another link of your organization. Choose another suffix.',
  ],
  DOMAIN_UNVERIFIED: [/ Verify it first, or leave .*$/, ' Verify it on the page Domains, or choose another.'],
  LINK_ON_PAPER: [/ If that is meant, send .*$/, ''],
};

/** The API's sentence about an error, in words for people. */
export function sentenceOf({
  error_code: code = '',
  error_string: sentence = '',
}: Pick<ErrorBody, 'error_code' | 'error_string'>): string {
  const [end, own] = ownEnds[code] ?? [];
  return ownSentences[code] ?? (end && own !== undefined ? sentence.replace(end, own) : sentence);
}

/** The API says where something in a list or in a scheduled change is by its names of fields. Here the sentence is beside it. */
export const besideField = (sentence: string): string =>
  sentence
    .replace(/^".*(?:of "rules"|in "changes") /, 'This ')
    .replace(/^(Entry \d+) of .*(?:of "rules"|in "changes") /, '$1 ');

export function apiErrorOf(response: Response, body: unknown): ApiError {
  const errorBody = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const all = errorBody.errors?.length ? errorBody.errors : [errorBody];
  const problems = all.map((one) => ({
    code: one.error_code ?? 'UNKNOWN',
    sentence: sentenceOf(one) || `The server answered ${response.status}. Try again in a moment.`,
    field: one.field_key ?? null,
  }));
  const retryAfterSeconds = Number(response.headers.get('retry-after'));
  return new ApiError(response.status, problems, retryAfterSeconds > 0 ? retryAfterSeconds : null);
}

/** Converts anything thrown into an error that can be shown. */
export const asApiError = (cause: unknown): ApiError => (cause instanceof ApiError ? cause : unreachable());
