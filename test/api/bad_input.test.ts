import { Buffer } from 'node:buffer';
import test, { type ExecutionContext } from 'ava';
import { contents } from '#test/helpers/contents.ts';
import { callersOf, idFor, inhabit } from '#test/helpers/inhabit.ts';
import { event } from '#test/helpers/make.ts';
import { exampleBody, guarded, nameOf, pathOf, unusedId } from '#test/helpers/routes.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { world } from '#test/helpers/world.ts';

const writing = guarded.filter(({ body }) => body);

const json = { 'content-type': 'application/json' };
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map(part => Buffer.from(part as string))));

// What is wrong with a body, what is sent, and the code of the detail that says so.
const malformed: [string, string | Uint8Array<ArrayBuffer>, string | undefined][] = [
  ['nothing', '', undefined],
  ['blanks', ' \n\t', 'malformed_json'],
  ['an open object', '{', 'malformed_json'],
  ['a comma too many', '{"a":1,}', 'malformed_json'],
  ['single quotes', "{'a':1}", 'malformed_json'],
  ['NaN', '{"a":NaN}', 'malformed_json'],
  ['two values', '{"a":1}{"b":2}', 'malformed_json'],
  ['a comment', '{} // really', 'malformed_json'],
  ['a string without end', '{"a":"b}', 'malformed_json'],
  ['a raw line break in a string', '{"a":"\n"}', 'malformed_json'],
  ['a raw NUL in a string', '{"a":"\0"}', 'malformed_json'],
  ['a form', 'action=resolve&reason=x', 'malformed_json'],
  ['a member twice', '{"name":"a","name":"b"}', 'duplicate_key'],
  ['a member twice, once escaped', '{"name":"a","n\\u0061me":"b"}', 'duplicate_key'],
  ['a member twice, far inside', '{"metadata":{"a":[{"b":1,"b":1}]}}', 'duplicate_key'],
  ['arrays 10,000 deep', '['.repeat(10_000) + ']'.repeat(10_000), 'too_deep'],
  ['objects 10,000 deep', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000), 'too_deep'],
  ['arrays 500,000 deep without an end', '['.repeat(500_000), 'too_deep'],
  ['a NUL', '{"name":"a\\u0000b"}', 'invalid_character'],
  ['a NUL in a member name', '{"a\\u0000b":1}', 'invalid_character'],
  ['half a surrogate pair', '{"name":"\\ud83d"}', 'invalid_character'],
  ['halves in the wrong order', '{"name":"\\ude00\\ud83d"}', 'invalid_character'],
  ['an integer beyond 2^53', '{"a":9007199254740993}', 'unsafe_number'],
  ['an integer of 400 digits', `{"a":1${'0'.repeat(400)}}`, 'unsafe_number'],
  ['a number beyond every double', '{"a":1e400}', 'unsafe_number'],
  ['a decimal that no double holds', '{"a":0.1000000000000000055}', 'unsafe_number'],
  ['__proto__', '{"__proto__":{"name":"a"}}', 'forbidden_key'],
  ['__proto__, escaped', '{"\\u005f_proto__":{"name":"a"}}', 'forbidden_key'],
  ['a byte order mark', bytes([0xef, 0xbb, 0xbf], '{}'), 'invalid_encoding'],
  ['Latin-1', bytes('{"name":"caf', [0xe9], '"}'), 'invalid_encoding'],
  ['half a UTF-8 character', bytes('{"name":"', [0xe2, 0x82], '"}'), 'invalid_encoding'],
  ['an overlong UTF-8 character', bytes('{"name":"', [0xc0, 0xaf], '"}'), 'invalid_encoding'],
  ['a surrogate in UTF-8', bytes('{"name":"', [0xed, 0xa0, 0x80], '"}'), 'invalid_encoding'],
  ['UTF-16', new Uint8Array(Buffer.from('\ufeff{"name":"a"}', 'utf16le')), 'invalid_encoding'],
];

test('every route refuses each kind of malformed JSON by name and stores nothing', async t => {
  const { db, ids, clientOf } = await inhabited(t);
  const before = await contents(db);
  for (const [index, route] of writing.entries())
    for (const [what, body, code] of turnOf(malformed, index, 4)) {
      const path = pathOf(route, idFor(route, ids));
      const reply = await clientOf(route).send(route.method.toUpperCase(), path, { body, headers: json });
      const cell = `${nameOf(route)}: ${what}`;
      t.is(reply.status, 400, cell);
      t.is(reply.body.error.code, 'invalid_request');
      t.is(reply.body.error.details?.[0].code, code, cell);
      t.true(reply.body.error.message.length > 20 && reply.body.error.message.length < 300, cell);
    }
  t.is(await contents(db), before);
});

test('every route refuses what is not an object, and every member it does not know', async t => {
  const { db, ids, clientOf } = await inhabited(t);
  const before = await contents(db);
  const unknown = ['colour', 'constructor', 'toString', 'hasOwnProperty', 'Name', ' name', '', 'x'.repeat(10_000)];
  const values = [null, 7, -0, true, 'text', [], [[]], [{}], ...unknown.map(name => ({ [name]: 1 }))];
  for (const [index, route] of writing.entries())
    for (const value of turnOf(values, index, 4)) {
      const path = pathOf(route, idFor(route, ids));
      const body = JSON.stringify(value);
      const reply = await clientOf(route).send(route.method.toUpperCase(), path, { body, headers: json });
      const cell = `${nameOf(route)}: ${body.slice(0, 60)}`;
      // What is asked about an event that is not valid is answered, not refused.
      if (route.operation_id === 'validateEvents')
        t.deepEqual([reply.status, reply.body.results[0].valid], [200, false], cell);
      else t.deepEqual([reply.status, reply.body.error?.code], [400, 'invalid_request'], cell);
      const details = reply.body.results?.[0].errors ?? reply.body.error.details;
      t.true(details.length > 0, cell);
    }
  t.is(await contents(db), before);
});

test('every route takes JSON only, and says so', async t => {
  const { db, ids, clientOf } = await inhabited(t);
  const before = await contents(db);
  const body = new TextEncoder().encode('{}');
  const types = [
    undefined,
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/jsonx',
    'application/+json',
    'json',
    '*/*',
    `application/${'x'.repeat(8_000)}`,
  ];
  for (const [index, route] of writing.entries())
    for (const type of turnOf(types, index, 4)) {
      const path = pathOf(route, idFor(route, ids));
      const headers: Record<string, string> = type ? { 'content-type': type } : {};
      const reply = await clientOf(route).send(route.method.toUpperCase(), path, { body, headers });
      t.is(reply.status, 415, `${nameOf(route)}: ${type}`);
      t.is(reply.body.error.code, 'unsupported_media_type');
      t.is(reply.headers.get('accept'), 'application/json');
    }
  t.is(await contents(db), before);
});

test('every route answers 404 to an id that is none, however odd', async t => {
  const here = await world(t);
  const callerOf = await callersOf(here);
  for (const [index, route] of guarded.filter(({ params }) => params).entries()) {
    const id = unusedId(route);
    const options = route.body && { body: JSON.stringify(exampleBody(route)), headers: json };
    const ids = [
      id,
      id.slice(0, -1),
      `${id}0`,
      id.slice(4),
      `usr_${id.slice(4)}0`,
      id.replace('_0', '_8'),
      id.replace('_0', '_O'),
      `${id}%00`,
      `${id}%0A`,
      `%20${id}`,
      `${id};v=1`,
      '%2F',
      '..%2F..%2Fetc%2Fpasswd',
      `%2e%2e%2f${id}`,
      '%',
      '%zz',
      '%E0%A4%A',
      '%ED%A0%80',
      '%00',
      '1%27%20or%201=1--',
      'null',
      '[object%20Object]',
      '__proto__',
      'é😀',
      'x'.repeat(10_000),
    ];
    for (const odd of turnOf(ids, index, 4)) {
      const reply = await callerOf(route).send(route.method.toUpperCase(), pathOf(route, odd), options);
      t.is(reply.status, 404, `${nameOf(route)}: ${odd.slice(0, 60)}`);
      t.is(reply.body.error.code, 'not_found');
    }
  }
});

/** A world with one of everything, whose caches are warm: what follows changes nothing but by accident. */
async function inhabited(t: ExecutionContext) {
  const here = await world(t, { own_database: true });
  return { ...here, ...(await inhabit(here)) };
}

test('a batch keeps its good events when others are malformed in any way JSON allows', async t => {
  const { as } = await world(t);
  const sound = event();
  const odd: unknown[] = [
    null,
    7,
    'x',
    [],
    {},
    { id: {} },
    { ...event(), metadata: [] },
    { ...event(), payment: null },
  ];
  const long = { ...event(), description: 'x'.repeat(1_001) };
  const { status, body } = await as.post('/v1/events', { events: [...odd, sound, long] });
  t.is(status, 200);
  t.deepEqual([body.accepted, body.rejected], [1, odd.length + 1]);
  t.deepEqual(
    (await as.get('/v1/events')).body.data.map(({ id }: { id: string }) => id),
    [sound.id],
  );
});

test('free data may have member names that mean something to JavaScript, and comes back as it was sent', async t => {
  const { as } = await world(t);
  const names = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'toJSON', '0', '-1', ' '];
  const metadata = Object.fromEntries(names.map((name, index) => [name, { [name]: [index, null, `${name}😀`] }]));
  const sent = event({ more: { metadata, evidence: [{ kind: 'acme.note', value: metadata }] } });
  t.is((await as.post('/v1/events', sent)).status, 201);
  const { body } = await as.get(`/v1/events/${sent.id}`);
  t.deepEqual(body.metadata, metadata);
  t.deepEqual(body.evidence[0].value, metadata);
});

test('of a body with very many faults the first twenty are named', async t => {
  const callerOf = await callersOf(await world(t));
  const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`member${index}`, index]));
  const options = { body: JSON.stringify(body), headers: json };
  for (const route of turnOf(
    writing.filter(({ params }) => !params),
    0,
    3,
  )) {
    const { body: answer } = await callerOf(route).send(route.method.toUpperCase(), route.path, options);
    t.is((answer.error?.details ?? answer.results[0].errors).length, 20, nameOf(route));
  }
});
