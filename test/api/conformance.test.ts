import { Ajv2020, type ValidateFunction } from '@redocly/ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import { openApiDocument } from '#api/openapi.ts';
import { routes } from '#api/routes/index.ts';
import type { Route } from '#api/route.ts';
import { ErrorBody } from '#shared/interface/schemas.ts';
import { idFor, inhabit } from '#test/helpers/inhabit.ts';
import { exampleBody, guarded, nameOf, neededQuery, pathOf, unusedId } from '#test/helpers/routes.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { variantsOf } from '#test/helpers/variants.ts';
import { world } from '#test/helpers/world.ts';

// Requests as tools make them of the description alone: what it forbids is refused, and its examples are not called malformed.

type Json = Record<string, unknown>;

const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'http://127.0.0.1:3000')));
const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(document, 'api');

const follow = (schema: unknown): Json => {
  const { $ref } = schema as Json;
  if (typeof $ref !== 'string') return schema as Json;
  return follow(
    $ref
      .slice(2)
      .split('/')
      .reduce((value, step) => value[step], document),
  );
};
const escaped = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');
const validator = ({ path, method }: Route, rest: string): ValidateFunction =>
  ajv.compile({ $ref: `api#/paths/${encodeURIComponent(escaped(path))}/${method}/${rest}` });

const operationOf = ({ path, method }: Route): Json => document.paths[path][method];
const parametersOf = (route: Route) => (operationOf(route)['parameters'] ?? []) as Json[];
/** What judges events one by one answers 200, whatever is wrong with them. */
const writing = guarded.filter(({ body, operation_id }) => body && operation_id !== 'validateEvents');
const isDocumented = (route: Route, status: number) =>
  Object.hasOwn(operationOf(route)['responses'] as Json, String(status));
const json = { 'content-type': 'application/json' };

test('a body that the description does not allow is refused with a documented error', async t => {
  t.timeout(600_000);
  const here = await world(t, { own_database: true });
  const { ids, clientOf } = await inhabit(here);
  const faults: string[] = [];
  let refused = 0;
  for (const route of writing) {
    const isAllowed = validator(route, 'requestBody/content/application~1json/schema');
    const example = exampleBody(route, ids);
    t.true(isAllowed(example), `${nameOf(route)}: ${ajv.errorsText(isAllowed.errors)}`);
    const schema = (operationOf(route)['requestBody'] as { content: Record<string, { schema: unknown }> }).content;
    const variants = [...variantsOf(schema['application/json']?.schema, example, follow)];
    // Null for an optional member means that it is left out: the description says so once, for all bodies.
    const wrong = variants.filter(
      ({ what, value }) => value !== undefined && !isAllowed(value) && !what.endsWith(' is null'),
    );
    for (const { what, value } of turnOf(wrong, refused, 10)) {
      const path = pathOf(route, idFor(route, ids), ids);
      const options = { body: JSON.stringify(value), headers: json };
      const { status, body } = await clientOf(route).send(route.method.toUpperCase(), path, options);
      const cell = `${nameOf(route)}: ${what}: ${status} ${JSON.stringify(body).slice(0, 300)}`;
      const isRefused = status >= 400 && status < 500 && ErrorBody.safeParse(body).success;
      if (!isRefused || !isDocumented(route, status)) faults.push(cell);
      refused += 1;
    }
  }
  t.deepEqual(faults, []);
  t.true(refused > 50, String(refused));
});

test('the example of every body is never called malformed', async t => {
  t.timeout(600_000);
  const here = await world(t, { own_database: true });
  const { ids, clientOf } = await inhabit(here);
  const faults: string[] = [];
  // They end the session that asks, or take what only a browser can make.
  const alone = writing.filter(({ tag }) => !['Sign-in', 'Second factor', 'Account'].includes(tag));
  for (const route of alone) {
    const path = pathOf(route, idFor(route, ids), ids);
    const options = { body: JSON.stringify(exampleBody(route, ids)), headers: json };
    const { status, body } = await clientOf(route).send(route.method.toUpperCase(), path, options);
    const cell = `${nameOf(route)}: ${status} ${JSON.stringify(body).slice(0, 300)}`;
    if (status === 400 || status >= 500 || !isDocumented(route, status)) faults.push(cell);
  }
  t.deepEqual(faults, []);
});

test('a parameter is taken as its example has it, and refused where the description does not allow it', async t => {
  t.timeout(600_000);
  const here = await world(t, { own_database: true });
  const { ids, clientOf } = await inhabit(here);
  const faults: string[] = [];
  for (const [index, route] of guarded.filter(({ query, params }) => query ?? params).entries()) {
    const ask = async (path: string) => {
      const options = { ...(route.body && { body: JSON.stringify(exampleBody(route)) }), headers: json };
      const { status, body } = await clientOf(route).send(route.method.toUpperCase(), path, options);
      const cell = `${nameOf(route)} ${path}: ${status} ${JSON.stringify(body).slice(0, 300)}`;
      if (status >= 500 || !isDocumented(route, status)) faults.push(cell);
      return { status, cell };
    };
    if (route.params) {
      const { status, cell } = await ask(pathOf(route, `${unusedId(route)}x%20`));
      if (status !== 404) faults.push(cell);
    }
    const query = parametersOf(route).flatMap((parameter, at) =>
      parameter['in'] === 'query' ? [{ parameter, at }] : [],
    );
    for (const { parameter, at } of turnOf(query, index, 10)) {
      const name = String(parameter['name']);
      const isAllowed = validator(route, `parameters/${at}/schema`);
      const whole = (value: unknown) => {
        const given = new URLSearchParams(neededQuery(route));
        given.set(name, String(value));
        return `${pathOf(route, idFor(route, ids))}?${given}`;
      };
      // Sorted by anything but age is what is not closed, and needs a state; the two ends of a proof have an order.
      if (!['cursor', 'sort'].includes(name) && route.operation_id !== 'proveConsistency') {
        const { status, cell } = await ask(whole(parameter['example']));
        if (status === 400) faults.push(cell);
      }
      for (const wrong of ['', '\u00df\u00bf', 'none_of_these', '-1', 'x'.repeat(600)].filter(
        text => !isAllowed(text),
      )) {
        const { status, cell } = await ask(whole(wrong));
        if (status !== 400) faults.push(cell);
      }
    }
  }
  t.deepEqual(faults, []);
});
