import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import test from 'ava';
import { openApiDocument } from '#api/openapi.ts';
import { routes } from '#api/routes/index.ts';
import { event } from '#test/helpers/make.ts';
import { exampleBody, nameOf } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

type Json = Record<string, unknown>;

const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'http://127.0.0.1:3000')));
const operations: [string, Json][] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Json] => [
    `${method.toUpperCase()} ${path}`,
    operation as Json,
  ]),
);

/** Every object in the document with the pointer to it. */
function* objectsIn(value: unknown, pointer = '#'): Generator<[pointer: string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Json];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${pointer}/${name}`);
}

const resolve = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (value, step) => (value as Json | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

const followed = (value: unknown): Json => {
  const { $ref } = value as Json;
  return (typeof $ref === 'string' ? resolve($ref) : value) as Json;
};
const answersOf = (operation: Json): [string, Json][] =>
  Object.entries(operation['responses'] as Json).map(([status, answer]) => [status, followed(answer)]);
const headerOf = (answer: Json, name: string): Json | undefined => {
  const header = (answer['headers'] as Json | undefined)?.[name];
  return header === undefined ? undefined : followed(header);
};

/** Where examples of a document are not what their schemas say. */
async function wrongExamples(given: unknown): Promise<string[]> {
  // Redocly would otherwise refuse in every part of a schema what that part does not name.
  const strictly = { severity: 'error', allowAdditionalProperties: true } as const;
  const rules = {
    'no-invalid-schema-examples': strictly,
    'no-invalid-media-type-examples': strictly,
    'no-invalid-parameter-examples': strictly,
  };
  const source = JSON.stringify(given);
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config: await createConfig({ rules }) });
  return problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`);
}

test('the description is served to everybody, as the document of this deployment', async t => {
  const { client } = await world(t, { settings: { BASE_URL: 'https://oversight.example.com/' } });
  const { status, headers, body } = await client().get('/v1/openapi.json');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'application/json; charset=utf-8');
  t.deepEqual(body, JSON.parse(JSON.stringify(openApiDocument(routes, 'https://oversight.example.com'))));
  t.deepEqual(body.servers, [{ url: 'https://oversight.example.com' }]);
  t.is(body.components.securitySchemes.session.name, '__Host-session');
});

test('the committed document is the one that is served', t => {
  t.deepEqual(JSON.parse(readFileSync('api/openapi.json', 'utf8')), document, 'run npm run openapi');
});

test('it is OpenAPI 3.1 and describes every route, and nothing else', t => {
  t.regex(document.openapi, /^3\.1\.\d+$/);
  for (const name of ['title', 'version', 'license']) t.truthy(document.info[name]);
  t.deepEqual(operations.map(([name]) => name).toSorted(), routes.map(nameOf).toSorted());
});

test('operations have names of their own, a summary, and a tag that is described', t => {
  const names = operations.map(([, { operationId }]) => operationId);
  t.is(new Set(names).size, routes.length);
  const tags = document.tags.map(({ name }: Json) => name);
  t.is(new Set(tags).size, tags.length);
  for (const [name, operation] of operations) {
    t.regex(String(operation['operationId']), /^[a-z][A-Za-z]+$/, name);
    t.truthy(operation['summary'], name);
    for (const tag of operation['tags'] as string[]) t.true(tags.includes(tag), `${name}: ${tag}`);
  }
});

test('every reference leads somewhere, and every component is used', t => {
  const used = new Set<string>();
  for (const [pointer, { $ref }] of objectsIn(document)) {
    if (typeof $ref !== 'string') continue;
    used.add($ref);
    t.true($ref.startsWith('#/') && resolve($ref) !== undefined, `${pointer}: ${$ref}`);
  }
  for (const kind of ['schemas', 'responses', 'headers'])
    for (const name of Object.keys(document.components[kind] ?? {}))
      t.true(used.has(`#/components/${kind}/${name}`), name);
});

test('no answer is promised to have no other members than today', t => {
  const seen = new Set<unknown>();
  const isClosed = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    if ('$ref' in value && 'additionalProperties' in value) return true;
    const object = followed(value);
    if (seen.has(object)) return false;
    seen.add(object);
    return object['additionalProperties'] === false || Object.values(object).some(isClosed);
  };
  for (const [name, operation] of operations) t.false(isClosed(operation['responses']), name);
  t.true(seen.size > 1_000);
});

test('every path parameter is declared, required and in the path; no name is declared twice', t => {
  for (const [name, operation] of operations) {
    const parameters = ((operation['parameters'] ?? []) as Json[]).map(parameter =>
      typeof parameter['$ref'] === 'string' ? (resolve(parameter['$ref']) as Json) : parameter,
    );
    const inPath = parameters.filter(parameter => parameter['in'] === 'path');
    t.deepEqual(
      inPath.map(parameter => `{${String(parameter['name'])}}`),
      name.match(/\{\w+\}/g) ?? [],
      name,
    );
    t.true(
      inPath.every(parameter => parameter['required'] === true),
      name,
    );
    t.is(
      new Set(parameters.map(parameter => `${String(parameter['in'])} ${String(parameter['name'])}`)).size,
      parameters.length,
    );
    for (const parameter of parameters) t.truthy(parameter['schema'], `${name} ${String(parameter['name'])}`);
  }
});

/** What is answered as a file. */
const files: Record<string, string> = {
  'GET /v1/packs/{id}/download': 'application/zip',
  'GET /v1/exports/{id}/download': 'application/zip',
};

test('every answer has a description, a schema and a Request-Id; errors have the error body', t => {
  for (const [name, operation] of operations) {
    for (const [status, answer] of answersOf(operation)) {
      t.regex(status, /^[2-5]\d\d$/, name);
      t.truthy(answer['description'], `${name} ${status}`);
      t.true(headerOf(answer, 'Request-Id')?.['required'], `${name} ${status}`);
      if (status === '304') continue;
      const [[media_type, content] = []] = Object.entries(answer['content'] as Record<string, Json>);
      const isFile = status < '300' && files[name] !== undefined;
      t.is(media_type, isFile ? files[name] : 'application/json', name);
      const schema = content?.['schema'];
      if (Number(status) >= 400) t.deepEqual(schema, { $ref: '#/components/schemas/ErrorBody' }, `${name} ${status}`);
      else t.truthy(schema, `${name} ${status}`);
    }
  }
});

test('headers that clients act on are described where they come', t => {
  for (const route of routes) {
    const name = nameOf(route);
    for (const [status, answer] of answersOf(document.paths[route.path][route.method])) {
      const good = status < '400';
      if (route.version && good) t.true(headerOf(answer, 'ETag')?.['required'], name);
      if (route.access !== 'public' && (good || status === '429')) t.truthy(headerOf(answer, 'RateLimit'), name);
      if (route.method === 'post' && route.changes && good) t.truthy(headerOf(answer, 'Idempotent-Replayed'), name);
      if (status === '429' || status === '503') t.true(headerOf(answer, 'Retry-After')?.['required'], name);
      if (status === '401') t.truthy(headerOf(answer, 'WWW-Authenticate'), name);
    }
  }
});

test('every operation says what becomes of a malformed request', t => {
  for (const [name, operation] of operations) t.truthy((operation['responses'] as Json)['400'], name);
});

test('who may call is said of every operation, and public ones ask for no credential', t => {
  t.deepEqual(Object.keys(document.components.securitySchemes), ['apiKey', 'session']);
  t.deepEqual(document.security, [{ apiKey: [] }, { session: [] }]);
  for (const route of routes) {
    const operation = document.paths[route.path][route.method];
    if (route.access === 'public') t.deepEqual(operation.security, []);
    else
      for (const scope of route.access.scopes === 'any' ? [] : (route.access.scopes ?? []))
        t.true(operation.description.includes(`\`${scope}\``), nameOf(route));
  }
});

test('the three webhooks are described with their headers and data', t => {
  const data = {
    'alert.created': ['alert_id', 'event_id'],
    'screening.potential_match': ['screening_id', 'event_id'],
    'pack.ready': ['pack_id'],
  };
  t.deepEqual(Object.keys(document.webhooks).toSorted(), Object.keys(data).toSorted());
  for (const [type, members] of Object.entries(data)) {
    const { post } = document.webhooks[type];
    const headers = new Set(post.parameters.map(({ name }: Json) => name));
    for (const name of ['Service-Signature', 'Service-Timestamp']) t.true(headers.has(name), `${type} ${name}`);
    const { schema } = post.requestBody.content['application/json'];
    t.deepEqual(schema.required.toSorted(), ['created_at', 'data', 'type']);
    t.is(schema.properties.type.const, type);
    t.deepEqual(Object.keys(schema.properties.data.properties), members);
  }
});

test('every operation has an example of its body, its parameters and its answer', t => {
  const meaningless = new Set(['cursor', 'If-None-Match', 'Idempotency-Key']);
  for (const [name, operation] of operations) {
    const body = (operation['requestBody'] as Json | undefined)?.['content'] as Record<string, Json> | undefined;
    if (body) t.truthy(body['application/json']?.['example'], name);
    for (const parameter of ((operation['parameters'] ?? []) as Json[]).map(followed))
      if (!meaningless.has(String(parameter['name'])))
        t.true('example' in parameter, `${name} ${String(parameter['name'])}`);
    for (const [status, answer] of answersOf(operation)) {
      const media = (answer['content'] as Record<string, Json> | undefined)?.['application/json'];
      if (status.startsWith('2') && media) t.true('example' in media, `${name} ${status}`);
    }
  }
});

test('cookies are described where they are read and set', t => {
  const { post } = document.paths['/v1/sign-in/code'];
  t.like(
    post.parameters.find((parameter: Json) => parameter['in'] === 'cookie'),
    { name: 'sign-in', schema: { type: 'string' } },
  );
  for (const path of ['/v1/sign-in', '/v1/sign-in/code', '/v1/sign-out', '/v1/second-factor/verify'])
    for (const [status, answer] of answersOf(document.paths[path].post))
      t.is(headerOf(answer, 'Set-Cookie') !== undefined, status.startsWith('2'), `${path} ${status}`);
});

test('examples in the document are accepted by the service', async t => {
  const { as } = await world(t, { now: () => Date.parse('2026-11-20T12:00:00Z') });
  const examples = [...objectsIn(document.components.schemas)].flatMap(([pointer, { examples }]) =>
    Array.isArray(examples) && typeof examples[0] === 'object' ? [[pointer, examples[0]] as const] : [],
  );
  t.true(examples.length >= 3);
  for (const [pointer, example] of examples) {
    if (pointer === '#/EventInput') t.is((await as.post('/v1/events/validate', example)).body.results[0].valid, true);
    if (pointer === '#/NewSource') t.is((await as.post('/v1/sources', example)).status, 201);
  }
});

test('every body has an example, which the service takes', t => {
  for (const route of routes) {
    if (!route.body) continue;
    const checked = route.body.safeParse(exampleBody(route));
    t.true(checked.success, `${nameOf(route)}: ${checked.error?.message}`);
  }
});

test('every example in the description is what its schema says', async t => {
  t.deepEqual(await wrongExamples(document), []);
  const other = structuredClone(document);
  other.components.schemas.NewCase.examples = [{ title: '' }];
  t.regex((await wrongExamples(other)).join(), /NewCase\/examples\/0/);
});

test('what the description says of an event, the service says too', async t => {
  const { as } = await world(t);
  const sound = event();
  const payment = sound['payment'] as Json;
  const asset = { network: 'eip155:8453', address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' };
  const amount = (given: Json) => ({ ...sound, payment: { ...payment, amount: { value: '1', ...given } } });
  const evidence = (given: Json) => ({ ...sound, evidence: [{ kind: 'card.receipt', ...given }] });
  const cases: [boolean, Json][] = [
    [true, sound],
    [true, { ...sound, type: 'payment.refunded', payment: { ...payment, status: 'partially_refunded' } }],
    [false, { ...sound, type: 'payment.refunded', payment: { ...payment, status: 'settled' } }],
    [false, { ...sound, agent: undefined, agent_id: undefined }],
    [false, { ...sound, agent: { external_id: 'a' }, agent_id: `agt_${sound.id.slice(4)}` }],
    [false, { ...sound, owner: undefined, owner_id: undefined }],
    [false, { ...sound, owner: { external_id: 'o' }, owner_id: `own_${sound.id.slice(4)}` }],
    [true, amount({ unit: 'minor', currency: 'USD' })],
    [false, amount({ unit: 'minor', currency: 'XXX' })],
    [false, amount({ unit: 'minor' })],
    [false, amount({ unit: 'minor', currency: 'USD', asset })],
    [true, amount({ unit: 'atomic', asset })],
    [false, amount({ unit: 'atomic', asset, currency: 'USD' })],
    [true, evidence({ value: 'AA==', encoding: 'base64' })],
    [false, evidence({ value: {}, encoding: 'base64' })],
    [false, evidence({ value: '' })],
    [false, { ...sound, resource_url: 'somewhere' }],
    [false, { ...sound, surprise: true }],
  ];
  const other = structuredClone(document);
  other.components.schemas.EventInput.examples = cases.map(([, given]) => JSON.parse(JSON.stringify(given)));
  const wrong = (await wrongExamples(other)).join('\n');
  for (const [index, [valid, given]] of cases.entries()) {
    t.is((await as.post('/v1/events/validate', given)).body.results[0].valid, valid, JSON.stringify(given));
    t.is(!new RegExp(`EventInput/examples/${index}\\b`).test(wrong), valid, JSON.stringify(given));
  }
});
