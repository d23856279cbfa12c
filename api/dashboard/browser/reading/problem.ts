import type { ErrorBody, ErrorDetail } from '#shared/interface/schemas.ts';

/** What the API refused, or that it could not be reached (status 0). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ErrorDetail[];
  readonly request_id: string | null;
  /** Milliseconds to wait before asking again, where the API said so. */
  readonly retry_after: number | null;
  /** Whether the same question may be answered later: the service is away, failing, or was asked too often. */
  readonly passes: boolean;

  constructor(status: number, body: unknown, headers?: Headers) {
    const { error, request_id } = isErrorBody(body) ? body : unknown(status);
    super(error.message);
    this.name = 'Problem';
    this.status = status;
    this.passes = status === 0 || status === 429 || status >= 500;
    this.code = error.code;
    this.details = error.details ?? [];
    this.request_id = request_id || null;
    const seconds = Number(headers?.get('Retry-After') ?? NaN);
    this.retry_after = Number.isFinite(seconds) ? seconds * 1_000 : null;
  }

  readonly #marked = new Set<ErrorDetail>();

  /**
   * What is wrong with a member of the body that was sent, by the beginning of its RFC 6901 pointer, for the field that marks it: it is not
   * said again below the form.
   */
  at(pointer: string): string | undefined {
    const detail = this.details.find(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
    if (detail) this.#marked.add(detail);
    return detail?.message;
  }

  /** The details that no field marks. */
  unmarked(): ErrorDetail[] {
    return this.details.filter(detail => !this.#marked.has(detail));
  }
}

/** Whatever was thrown while the API was asked, as a Problem: `fetch` throws a TypeError where there is no connection. */
export const problemOf = (thrown: unknown): Problem => (thrown instanceof Problem ? thrown : new Problem(0, null));

/** That a change was not answered. It may have been made; `useChange` repeats it so that it is made once. */
export const unansweredChange = (): Problem =>
  new Problem(0, {
    error: {
      code: 'unreachable',
      message: 'The service did not respond. Check your connection and try again; the change is never made twice.',
    },
    request_id: '',
  });

const isErrorBody = (body: unknown): body is ErrorBody => typeof body === 'object' && body !== null && 'error' in body;

const unknown = (status: number): ErrorBody => ({
  error: {
    code: status === 0 ? 'unreachable' : 'unknown',
    message:
      status === 0
        ? 'The service cannot be reached. Check your connection. This page retries automatically.'
        : `The service responded with status ${status}. Try again.`,
  },
  request_id: '',
});
