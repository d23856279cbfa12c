import test from 'ava';
import type { z } from 'zod';
import { validate } from '#shared/json/issues.ts';
import { callersOf, idFor, inhabit } from '#test/helpers/inhabit.ts';
import { exampleBody, nameOf, pathOf } from '#test/helpers/routes.ts';
import { routes } from '#api/routes/index.ts';
import { world } from '#test/helpers/world.ts';

type Json = Record<string, unknown>;

/** The members of a body that its example does not need to have. */
function optionalOf(schema: z.ZodType, example: Json): string[] {
  const { shape } = schema.def as unknown as { shape?: Record<string, z.ZodType> };
  return Object.keys(shape ?? {}).filter(name => !(name in example) && shape?.[name]?.safeParse(undefined).success);
}

const writing = routes.flatMap(({ body, loose_body, ...route }) => {
  if (!body || loose_body) return [];
  const full = { ...route, body };
  const example = exampleBody(full) as Json;
  return [{ route: full, example, names: optionalOf(body, example) }];
});

test('null for a member that a body need not have is as if it were not there, on every route', t => {
  let tried = 0;
  for (const { route, example, names } of writing) {
    for (const name of names) {
      const result = validate(route.body, { ...example, [name]: null });
      t.true(result.ok, `${nameOf(route)} ${name}: ${result.ok ? '' : result.issues[0]?.message}`);
      tried += 1;
    }
  }
  t.true(tried > 30, `${tried} members were tried`);
});

test('null in a PATCH clears what can be cleared and leaves alone what cannot', async t => {
  const { as, person } = await world(t);
  const ada = await person('admin');
  const { body: made } = await ada.post('/v1/cases', {
    title: 'A case',
    priority: null,
    assignee_id: ada.user.id,
    alert_ids: null,
  });
  t.like(made, { priority: 'medium', assignee_id: ada.user.id });
  const { status, body: changed } = await ada.patch(`/v1/cases/${made.id}`, { title: null, assignee_id: null });
  t.is(status, 200);
  t.like(changed, { title: 'A case', assignee_id: null });
  t.is((await ada.patch(`/v1/cases/${made.id}`, { title: null })).status, 400, 'then nothing is asked for');
  const { body: source } = await as.post('/v1/sources', {
    name: 'till',
    kind: 'sdk',
    description: 'north',
    psp_config: null,
  });
  t.like((await as.patch(`/v1/sources/${source.id}`, { name: null, description: null })).body, {
    name: 'till',
    description: null,
  });
  t.is((await ada.post(`/v1/cases/${made.id}/status`, { status: 'investigating', closing_note: null })).status, 200);
  t.is((await ada.post(`/v1/cases/${made.id}/status`, { status: null })).body.error.details[0].code, 'required');
});

test('no route finds fault with a member for being null', async t => {
  const here = await world(t, { own_database: true });
  const callerOf = await callersOf(here);
  const { ids } = await inhabit(here);
  for (const { route, example, names } of writing.filter(({ names }) => names.length > 0)) {
    const path = pathOf(route, idFor(route, ids), ids);
    const body = { ...(exampleBody(route, ids) as Json), ...Object.fromEntries(names.map(name => [name, null])) };
    const reply = await callerOf(route).send(route.method.toUpperCase(), path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    const named =
      reply.status === 400 ? (reply.body.error.details ?? []).map(({ path }: { path: string }) => path) : [];
    t.deepEqual(
      named.filter((at: string) => names.includes(at.split('/')[1] ?? '')),
      [],
      `${nameOf(route)} ${Object.keys(example).join()}`,
    );
  }
});
