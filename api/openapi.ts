import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { cookieName } from './cookies.ts';
import { answersOf } from './openapi_answers.ts';
import { addExamples } from './openapi_examples.ts';
import type { Access, Route } from './route.ts';
import { Id } from '#shared/interface/ids.ts';
import { release } from '#shared/interface/release.ts';
import { scopes } from '#shared/interface/scopes.ts';
import { type Permission, permissions, type Role, roles } from '#shared/interface/roles.ts';
import { Timestamp } from '#shared/interface/schemas.ts';
import { manyLines, oneLine } from '#shared/values/text.ts';

/** The OpenAPI 3.1 document of these routes, with the three webhooks. */
export function openApiDocument(routes: Route[], base_url: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route, base_url);
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Agent Payment Oversight Service',
        version: release,
        summary: 'Receives the events that report payments by software agents, and watches over them.',
        description: about,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: base_url }],
      tags: [...new Set(routes.map(route => route.tag))].map(name => ({ name, description: tags[name] ?? name })),
      security: [{ apiKey: [] }, { session: [] }],
      paths,
      webhooks,
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: `An API key: hk_test_… or hk_live_…\n\nScopes:\n${scopeList}`,
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: cookieName({ base_url }, 'session'),
            description:
              'The session of a signed-in person. Requests that change something must not come from another site: by their Origin or Sec-Fetch-Site header where they have one; a POST without either needs the Content-Type application/json.',
          },
        },
      },
    },
    { override: context => tidy(context as Tidied) },
  );
  openReferences(document);
  return addExamples(document);
}

const about = `Every answer has a Request-Id header; every error body repeats it. Lists answer \`{data, next_cursor}\`, newest first unless asked otherwise. Answers may grow members: ignore what you do not know.
Times are RFC 3339 in UTC with milliseconds; money is a decimal string of minor or atomic units, never a floating point number.
\`null\` for an optional member of a body means that it is left out; in a PATCH it clears what can be cleared. Free data keeps its nulls.
An event may be sent as it was read: what only the service writes in it is passed over.`;

const scopeList = Object.entries(scopes)
  .map(([scope, allows]) => `- \`${scope}\`: ${allows}`)
  .join('\n');

const tags: Record<string, string> = {
  Events: 'Payment events: what agents paid, or tried to',
  Agents: 'Who pays: software agents, registered at their first event',
  Owners: 'On whose behalf agents pay',
  Payees: 'Who is paid',
  Sources: 'Where events come from',
  Alerts: 'What the detectors found',
  Incidents: 'Alerts that belong together: those of an agent within one episode, or those of a storm over many agents',
  Detectors: 'Detectors, their settings, and the quality of their alerts',
  Screenings: 'Payees screened against sanctions lists, and decisions on matches',
  Packs: 'Evidence packs and reports that auditors can verify offline',
  Exports: 'Records as files, for a warehouse or a spreadsheet',
  Erasures: 'Taking the data of a person out of what is stored',
  Log: 'The event log and its proofs',
  Cases: 'Investigations with their alerts, events, screenings, and packs',
  Mandates: 'What agents may pay',
  'Trusted keys': 'Keys whose signatures are accepted as evidence',
  'API keys': 'Credentials for calling this API',
  Members: 'Members of the organization and their roles',
  'Audit log': 'Who changed what',
  'Saved views': 'Lists of the dashboard with their filters, shared by all members',
  Search: 'Records of every kind by what people know of them',
  Statistics: 'Activity over time',
  Webhooks: 'Webhook endpoints and deliveries',
  'Sign-in': 'Signing in by email link',
  Account: 'Who calls, and where they are signed in',
  'Second factor': 'Authenticator apps, passkeys, and recovery codes',
  Description: 'This document',
};

function operationOf(route: Route, base_url: string): ZodOpenApiOperationObject {
  const { operation_id, summary, description, tag, access, params, query, body } = route;
  return {
    operationId: operation_id,
    summary,
    description: [description, whoMay(access)].filter(Boolean).join('\n\n'),
    tags: [tag],
    security: securityOf(access),
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(headersOf(route) && { header: headersOf(route) }),
      ...(route.cookies?.reads && {
        cookie: z.object({ [cookieName({ base_url }, route.cookies.reads)]: signInCookie }),
      }),
    },
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: answersOf(route),
  };
}

/** Who may call, in words: scopes for keys, roles for people. */
function whoMay(access: Access): string {
  if (access === 'public') return 'Needs no credential.';
  const keys =
    access.scopes === 'any'
      ? 'API key of any scope'
      : access.scopes && `API key with the scope ${access.scopes.map(scope => `\`${scope}\``).join(' or ')}`;
  const people =
    access.session &&
    peopleWith(access.session) +
      (access.fresh ? ', who has shown their second factor within 15 minutes, or without one has signed in' : '');
  return `${[keys, people].filter(Boolean).join('; or ')}.`;
}

function peopleWith(permission: Permission): string {
  const { sandbox, production } = permissions[permission];
  if (sandbox.length === roles.length && production.length === roles.length) return 'session of any role';
  const list = (names: readonly Role[]) => (names.length === roles.length ? 'any role' : names.join(' or '));
  return sandbox.length === production.length
    ? `session with the role ${list(sandbox)}`
    : `session with ${list(sandbox)} in a sandbox, ${list(production)} in production`;
}

const securityOf = (access: Access): Record<string, string[]>[] =>
  access === 'public' ? [] : [...(access.scopes ? [{ apiKey: [] }] : []), ...(access.session ? [{ session: [] }] : [])];

/** The request headers an operation reads. */
function headersOf({ method, changes, version }: Route): z.ZodObject | undefined {
  if (method === 'post' && changes) return z.object({ 'Idempotency-Key': idempotencyKey });
  if (version) return z.object({ 'If-None-Match': ifNoneMatch });
  return undefined;
}

const signInCookie = z
  .string()
  .optional()
  .meta({
    description: 'binds a sign-in to the browser that requested it: what the answer of POST /v1/sign-in has set',
    examples: ['kq3vX9cZr1sT5wB8yD2fG6hJ4mN7pQ0a'],
  });
const idempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    'A text of your own, such as a UUID: the same request with the same key is done once, and answered as the first time, for 24 hours.',
});
const ifNoneMatch = z
  .string()
  .optional()
  .meta({ description: 'The ETag of an earlier answer; 304 when nothing has changed since', examples: ['W/"x"'] });

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

type Tidied = { jsonSchema: Record<string, unknown>; path: (string | number)[]; io: 'input' | 'output' };

/** Says what zod cannot, and leaves out what it writes too much. */
function tidy({ jsonSchema, path, io }: Tidied) {
  // Schemas say format, not the 300-character pattern that zod writes beside it.
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  const rule = textRules[String(jsonSchema['pattern'])];
  if (rule) {
    delete jsonSchema['pattern'];
    jsonSchema['description'] = [jsonSchema['description'], rule].filter(Boolean).join('; ');
  }
  // Members of any name and kind, in the words that most tools know.
  if (isEmpty(jsonSchema['additionalProperties'])) jsonSchema['additionalProperties'] = true;
  // Answers may grow members.
  if (io === 'output' && jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  if (JSON.stringify(jsonSchema['propertyNames']) === '{"type":"string"}') delete jsonSchema['propertyNames'];
  const [free, none] = (jsonSchema['anyOf'] as Record<string, unknown>[] | undefined) ?? [];
  if (free?.['type'] === 'object' && free['additionalProperties'] === true && none?.['type'] === 'null') {
    delete jsonSchema['anyOf'];
    Object.assign(jsonSchema, free, { type: ['object', 'null'] });
  }
  // Ids are read in any case and written in one.
  if (io === 'output' && anyCase.test(String(jsonSchema['pattern'])))
    jsonSchema['pattern'] = String(jsonSchema['pattern']).replace(anyCase, '^$1$2$3_').replace('a-hjkmnp-tv-z', '');
  // Nothing in this interface is counted below zero, and the log begins with one.
  if (jsonSchema['type'] === 'integer' && jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER)
    jsonSchema['minimum'] = path.at(-1) === 'chain_seq' ? 1 : 0;
}

/** Beside a reference, `additionalProperties: false` would allow no member at all; what it leads to says itself what it is closed to. */
function openReferences(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  if ('$ref' in object) delete object['additionalProperties'];
  for (const member of Object.values(object)) openReferences(member);
}

const isEmpty = (value: unknown) => JSON.stringify(value) === '{}';
const anyCase = /^\^\[([a-z])[A-Z]\]\[([a-z])[A-Z]\]\[([a-z])[A-Z]\]_/;

// Few tools can make a text by a pattern with a NUL in it.
const textRules: Record<string, string> = {
  [oneLine.source]: 'one line, without control characters',
  [manyLines.source]: 'without control characters other than tab and line break',
};
