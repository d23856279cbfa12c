/** The HTTP status of each error code, one per line. Every error body of the API has one of these codes. */
const errorTable = {
  invalid_request: 400,
  unauthorized: 401,
  key_environment_mismatch: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  invalid_transition: 409,
  not_yet_published: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  unprocessable: 422,
  reason_required: 422,
  no_lists: 422,
  not_reviewable: 422,
  rate_limited: 429,
  range_not_satisfiable: 416,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorTable;

/** Where a request is wrong: an RFC 6901 pointer into the body, or `query.<name>`, `header.<name>`. `example` would be valid there. */
export type Detail = { path: string; code: string; message: string; example?: unknown };

/** An unsuccessful response, thrown where the fact is known and written by `api/problem.ts`. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Detail[] | undefined;
  readonly headers: Record<string, string>;
  /** Of interest only to the caller, possibly thousands of times a second: no failure of the service. */
  readonly quiet: boolean;
  /** What a person reads in place of the usual page of its status: a title, and a way on, or none. */
  readonly page: { title: string; way_on: { path: string; text: string } | null } | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Detail[]; headers?: Record<string, string>; quiet?: boolean; page?: Problem['page'] } = {},
  ) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.status = errorTable[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.quiet = options.quiet ?? false;
    this.page = options.page;
  }
}

export const invalidRequest = (message: string, details?: Detail[]) =>
  new Problem('invalid_request', message, { details });
export const invalidDetail = (path: string, code: string, message: string) =>
  new Problem('invalid_request', message, { details: [{ path, code, message }] });
export const unauthorized = (
  message = 'A valid credential is required: Authorization: Bearer <API_KEY>, or the cookie of a session.',
) => new Problem('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
export const keyEnvironmentMismatch = (message: string) =>
  new Problem('key_environment_mismatch', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
export const forbidden = (message: string) => new Problem('forbidden', message);
export const notFound = (thing: string) => new Problem('not_found', `No such ${thing}.`);
/** Returns the record. Throws `not_found` when there is none, also for another tenant's record. */
export function orNotFound<T>(thing: string, record: T | null | undefined): T {
  if (record === null || record === undefined) throw notFound(thing);
  return record;
}

export const conflict = (message: string) => new Problem('conflict', message);
export const invalidTransition = (message: string) => new Problem('invalid_transition', message);
export const reasonRequired = (message: string) =>
  new Problem('reason_required', message, { details: [{ path: '/reason', code: 'required', message }] });
export const unprocessable = (path: string, code: string, message: string) =>
  new Problem('unprocessable', message, { details: [{ path, code, message }] });
export const payloadTooLarge = (message: string) => new Problem('payload_too_large', message);
export const unsupportedMediaType = (message: string, headers?: Record<string, string>) =>
  new Problem('unsupported_media_type', message, { headers });
export const notYetPublished = (message: string) =>
  new Problem('not_yet_published', message, { headers: { 'Retry-After': '1' } });
export const unavailable = (message: string) =>
  new Problem('unavailable', message, { headers: { 'Retry-After': '1' } });

/** Any thrown value as an Error, for logs. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
