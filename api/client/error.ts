/** The body of every error answer. `path` in `details` is an RFC 6901 pointer into the body, `query.<name>` or `header.<name>`. */
export type ErrorBody = {
  error: { code: string; message: string; details?: ErrorDetail[] };
  request_id: string;
};

export type ErrorDetail = { path: string; code: string; message: string };

/**
 * Why the service refused or failed. `code` is the one in its answer; `unavailable` with status 0 if there was none. `retry_after` is in
 * seconds, null if the service asked for no pause. The message never contains the key.
 */
export class OversightError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly request_id: string | null;
  readonly retry_after: number | null;

  constructor(code: string, message: string, facts: Partial<ErrorDetails> = {}) {
    super(message);
    this.name = 'OversightError';
    this.code = code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? [];
    this.request_id = facts.request_id ?? null;
    this.retry_after = facts.retry_after ?? null;
  }
}

type ErrorDetails = Pick<OversightError, 'status' | 'details' | 'request_id' | 'retry_after'>;

/** The error in an answer. An answer in any other form becomes `not_found`: something else answers at the address. */
export function errorOf(
  { status, body, retry_after }: { status: number; body: unknown; retry_after: number | null },
  url: string,
): OversightError {
  const { error, request_id } = (body ?? {}) as Partial<ErrorBody>;
  if (!error?.code)
    return new OversightError('not_found', `${url} answers ${status}, not as the service does. Is that its address?`, {
      status,
      retry_after,
    });
  const { code, message, details } = error;
  return new OversightError(code, `${url} refuses (${status}): ${message}`, {
    status,
    details,
    request_id,
    retry_after,
  });
}
