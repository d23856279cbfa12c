import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import type { Route } from './route.ts';
import { ErrorBody } from '#shared/interface/schemas.ts';

/** Every response of an operation, by status, with its headers: the declared ones, 304, and errors other than 500. */
export function answersOf(route: Route): Record<string, ZodOpenApiResponseObject> {
  const { access, method, changes, cookies, version, responses, errors = {}, media_type = 'application/json' } = route;
  const headers = z.object({
    'Request-Id': requestId,
    ...(version && { ETag: etag }),
    ...(access !== 'public' && rateLimits),
    ...(method === 'post' && changes && replayed),
  });
  const good = cookies ? headers.extend({ 'Set-Cookie': cookieSet[cookies.sets] }) : headers;
  return {
    ...Object.fromEntries(
      responses.map(([status, description, schema]) => [
        String(status),
        { description, headers: good, content: { [media_type]: { schema } } },
      ]),
    ),
    ...(version && { '304': access === 'public' ? unchanged : unchangedAndCounted }),
    ...Object.fromEntries(usual.flatMap(([status, gives, answer]) => (gives(route) ? [[status, answer]] : []))),
    ...Object.fromEntries(Object.entries(errors).map(([status, meaning]) => [status, errorAnswer(status, meaning)])),
  };
}

const header = (id: string, schema: z.ZodType) => schema.meta({ header: { id } });

const setCookie = (id: string, description: string) => header(id, z.string().optional().meta({ description }));
const cookieSet = {
  session: setCookie('SessionCookie', 'sets the cookie of the session anew, or clears it'),
  'sign-in': setCookie('SignInCookie', 'sets the cookie that binds the sign-in to this browser'),
};

const requestId = header(
  'RequestId',
  z.string().meta({ description: 'names this request in our log', examples: ['req_01KAG4M0Y8N9T4A5W3R7C2XDEF'] }),
);
const etag = header(
  'ETag',
  z.string().meta({
    description: 'weak; sent back as If-None-Match it is answered 304 while nothing has changed',
    examples: ['W/"Wn0fJ2yVxkqkT1dG5b7hQw"'],
  }),
);
const retryAfter = z
  .string()
  .regex(/^[1-9][0-9]*$/)
  .meta({ description: 'seconds to wait', examples: ['1'] });
const needsWait = header('RetryAfter', retryAfter);
const mayNeedWait = header(
  'RetryAfterOnce',
  retryAfter.optional().meta({ description: 'seconds, when waiting helps' }),
);
const challenge = header('WWWAuthenticate', z.literal('Bearer').meta({ description: 'the scheme of API keys' }));
const replayed = {
  'Idempotent-Replayed': header(
    'IdempotentReplayed',
    z
      .literal('true')
      .optional()
      .meta({ description: 'this is the answer an earlier request with this Idempotency-Key got' }),
  ),
};
// draft-ietf-httpapi-ratelimit-headers-10
const rateLimits = {
  'RateLimit-Policy': header(
    'RateLimitPolicy',
    z
      .string()
      .optional()
      .meta({
        description: 'the limit that counts this request: `q` requests in `w` seconds; absent when limits are off',
        examples: ['"read";q=50;w=1'],
      }),
  ),
  RateLimit: header(
    'RateLimit',
    z
      .string()
      .optional()
      .meta({
        description: '`r` requests are left for `t` seconds; absent when limits are off',
        examples: ['"read";r=49;t=1'],
      }),
  ),
};

const unchanged = {
  id: 'Unchanged',
  description: 'Nothing has changed since that ETag',
  headers: z.object({ 'Request-Id': requestId, ETag: etag }),
};
const unchangedAndCounted = {
  id: 'NotModified',
  description: unchanged.description,
  headers: unchanged.headers.extend(rateLimits),
};

/** The headers of an error status besides Request-Id. */
const errorHeaders: Record<string, z.ZodRawShape> = {
  '401': { 'WWW-Authenticate': challenge },
  '409': { 'Retry-After': mayNeedWait, ...replayed },
  '422': replayed,
  '429': { 'Retry-After': needsWait, ...rateLimits },
  '503': { 'Retry-After': needsWait },
};

function errorAnswer(status: string, description: string, id?: string): ZodOpenApiResponseObject {
  return {
    ...(id && { id }),
    description,
    headers: z.object({ 'Request-Id': requestId, ...errorHeaders[status] }),
    content: { 'application/json': { schema: ErrorBody } },
  };
}

const guarded = ({ access }: Route) => access !== 'public';

type Usual = [status: string, gives: (route: Route) => boolean, answer: ZodOpenApiResponseObject];

/** The errors that follow from a route's declaration. */
const usual: Usual[] = [
  ['400', () => true, errorAnswer('400', 'The request is malformed: its body, query or a header', 'Malformed')],
  [
    '401',
    guarded,
    errorAnswer('401', 'No credential, or one that is invalid, revoked or of the other environment', 'Unauthorized'),
  ],
  ['403', guarded, errorAnswer('403', 'The credential does not allow this', 'Forbidden')],
  ['403', ({ origin }) => !!origin, errorAnswer('403', 'The request comes from another site', 'OtherSite')],
  ['404', ({ params }) => !!params, errorAnswer('404', 'No such record', 'NotFound')],
  [
    '409',
    ({ changes }) => !!changes,
    errorAnswer('409', 'It conflicts with what is stored, or with the state the record is in', 'Conflict'),
  ],
  ['413', ({ body }) => !!body, errorAnswer('413', 'The body is over 1 MB after decoding', 'TooLarge')],
  [
    '415',
    ({ body, raw_body }) => !!body && !raw_body,
    errorAnswer('415', 'The body is not JSON, or its Content-Encoding is unknown', 'NotJson'),
  ],
  [
    '422',
    ({ changes, body }) => !!changes && !!body,
    errorAnswer('422', 'Understood, but something it needs is missing', 'Unprocessable'),
  ],
  ['429', guarded, errorAnswer('429', 'Too many requests; Retry-After says when to try again', 'TooManyRequests')],
  [
    '503',
    route => guarded(route) || !!route.body,
    errorAnswer(
      '503',
      'The service cannot reach its database, or has no room; Retry-After says when to try again',
      'Unavailable',
    ),
  ],
];
