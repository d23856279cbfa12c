import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from '#api/route.ts';
import { Id } from '#shared/ids.ts';
import { scopes } from '#shared/resources/api_keys.ts';
import { ErrorBody, Timestamp } from '#shared/schemas.ts';

/** The OpenAPI 3.1 document of these routes, with the three webhooks. */
export function openApiDocument(routes: Route[], base_url: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route);
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Agent Payment Oversight Service',
        version: '1.0.0',
        summary: 'Receives the events that report payments by software agents, and watches over them.',
        description: about,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: base_url }],
      tags: [...new Set(routes.map(route => route.tag))].map(name => ({ name, description: tags[name] ?? name })),
      security: [{ apiKey: [] }],
      paths,
      webhooks,
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: `An API key: hk_test_… or hk_live_…\n\nScopes:\n${scopeList}`,
          },
        },
      },
    },
    { override: ({ jsonSchema }) => tidy(jsonSchema as Record<string, unknown>) },
  );
}

const about = `Every answer has a Request-Id header; every error body repeats it. Lists answer \`{data, next_cursor}\`, newest first.
Times are RFC 3339 in UTC with milliseconds; money is a decimal string of minor or atomic units, never a floating point number.`;

const scopeList = Object.entries(scopes)
  .map(([scope, allows]) => `- \`${scope}\`: ${allows}`)
  .join('\n');

const tags: Record<string, string> = {
  Events: 'Payment events: what agents paid, or tried to',
  Sources: 'Where events come from',
  Alerts: 'What the detectors found',
  Description: 'This document',
};

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { operation_id, summary, description, tag, access, params, query, body, responses } = route;
  return {
    operationId: operation_id,
    summary,
    description:
      [description, Array.isArray(access) && `Scope: ${access.map(scope => `\`${scope}\``).join(' or ')}.`]
        .filter(Boolean)
        .join('\n\n') || undefined,
    tags: [tag],
    ...(access === 'public' && { security: [] }),
    ...((params || query) && { requestParams: { ...(params && { path: params }), ...(query && { query }) } }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...Object.fromEntries(
        responses.map(([status, meaning, schema]) => [
          String(status),
          { ...content(schema, meaning), headers: requestId },
        ]),
      ),
      ...Object.fromEntries(
        errorsOf(route).map(([status, meaning]) => [status, { ...content(ErrorBody, meaning), headers: requestId }]),
      ),
    },
  };
}

const content = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});
const requestId = z.object({ 'Request-Id': z.string().meta({ description: 'names this request in our log' }) });

/** The error answers an operation can give, beyond 500. */
function errorsOf({ access, params, query, body, method }: Route): [string, string][] {
  const errors: [string, string | false][] = [
    ['400', (!!query || !!body) && 'The request is malformed'],
    ['401', access !== 'public' && 'No credential, or one that is invalid, revoked or of the other environment'],
    ['403', Array.isArray(access) && 'The credential does not allow this'],
    ['404', !!params && 'No such record'],
    ['405', access === 'public' && 'This path does not answer that method'],
    ['409', !!body && method === 'post' && 'It conflicts with what is stored, or with the state the record is in'],
    ['413', !!body && 'The body is over 1 MB after decoding'],
    ['415', !!body && 'The body is not JSON, or its Content-Encoding is unknown'],
    ['422', !!params && !!body && 'Understood, but something it needs is missing'],
    ['503', access !== 'public' && 'The service cannot reach its database; Retry-After says when to try again'],
  ];
  return errors.flatMap(([status, meaning]) => (meaning ? [[status, meaning]] : []));
}

const hook = (type: string, when: string, data: z.ZodObject): { post: ZodOpenApiOperationObject } => ({
  post: {
    operationId: type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: when,
    description:
      'Answer with any 2xx. A 5xx, a 429 or no answer within 10 s is tried again after 0.5, 1, 2 and 4 s; any other answer is final. Deliveries can repeat and arrive out of order.',
    tags: ['Description'],
    security: [],
    requestParams: { header: z.object(hookHeaders) },
    requestBody: {
      required: true,
      content: { 'application/json': { schema: z.object({ type: z.literal(type), created_at: Timestamp, data }) } },
    },
    responses: { '200': { description: 'Received' } },
  },
});

const hookHeaders = {
  'Service-Signature': z.string().meta({
    description:
      '`v1=` and the lower-case hex HMAC-SHA256, keyed with the endpoint secret, of Service-Timestamp, a dot and the raw body',
  }),
  'Service-Timestamp': Timestamp.meta({ description: 'refuse when more than five minutes from now' }),
  'Service-Delivery-Id': Id('whd').meta({ description: 'the same on every attempt' }),
  'webhook-id': z.string().meta({ description: 'Standard Webhooks: the delivery id' }),
  'webhook-timestamp': z.string().meta({ description: 'Standard Webhooks: seconds since 1970' }),
  'webhook-signature': z
    .string()
    .meta({ description: 'Standard Webhooks: one signature, or two while a secret is being rotated' }),
};

const webhooks = {
  'alert.created': hook(
    'alert.created',
    'A detector raised an alert',
    z.object({ alert_id: Id('alr'), event_id: Id('evt') }),
  ),
  'screening.potential_match': hook(
    'screening.potential_match',
    'A payee screening needs review',
    z.object({ screening_id: z.string(), event_id: Id('evt').nullable() }),
  ),
  'pack.ready': hook('pack.ready', 'A pack has finished building', z.object({ pack_id: Id('pck') })),
};

/** Schemas say format, not the 300-character pattern that zod writes beside it. */
function tidy(schema: Record<string, unknown>) {
  if (schema['format'] === 'date-time') delete schema['pattern'];
}
