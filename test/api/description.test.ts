import { readFileSync } from 'node:fs';
import test from 'ava';
import { openApiDocument } from '#api/openapi.ts';
import { routes } from '#api/routes/index.ts';
import { nameOf } from '#test/helpers/routes.ts';
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

test('the description is served to everybody, as the document of this deployment', async t => {
  const { client } = await world(t, { settings: { BASE_URL: 'https://oversight.example.com/' } });
  const { status, headers, body } = await client().get('/v1/openapi.json');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'application/json; charset=utf-8');
  t.deepEqual(body, { ...document, servers: [{ url: 'https://oversight.example.com' }] });
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
  for (const kind of ['schemas', 'responses', 'parameters'])
    for (const name of Object.keys(document.components[kind] ?? {}))
      t.true(used.has(`#/components/${kind}/${name}`), name);
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

test('every answer has a description, a schema and a Request-Id; errors have the error body', t => {
  for (const [name, operation] of operations) {
    for (const [status, answer] of Object.entries(operation['responses'] as Record<string, Json>)) {
      t.regex(status, /^[2-5]\d\d$/, name);
      t.truthy(answer['description'], `${name} ${status}`);
      t.true('Request-Id' in (answer['headers'] as Json), `${name} ${status}`);
      const { schema } = (answer['content'] as Record<string, Json>)['application/json'] ?? {};
      if (Number(status) >= 400) t.deepEqual(schema, { $ref: '#/components/schemas/ErrorBody' }, `${name} ${status}`);
      else t.truthy(schema, `${name} ${status}`);
    }
  }
});

test('who may call is said of every operation, and public ones ask for no credential', t => {
  t.deepEqual(Object.keys(document.components.securitySchemes), ['apiKey']);
  t.deepEqual(document.security, [{ apiKey: [] }]);
  for (const route of routes) {
    const operation = document.paths[route.path][route.method];
    if (route.access === 'public') t.deepEqual(operation.security, []);
    else for (const scope of route.access) t.true(operation.description.includes(`\`${scope}\``), nameOf(route));
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
