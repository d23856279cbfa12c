import test from 'ava';
import { callersOf } from '#test/helpers/inhabit.ts';
import { event } from '#test/helpers/make.ts';
import { exampleBody, guarded, nameOf, pathOf } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

test('every route names the query parameter that it does not know', async t => {
  const here = await world(t);
  const callerOf = await callersOf(here);
  for (const route of guarded) {
    const options = route.body && {
      body: JSON.stringify(exampleBody(route)),
      headers: { 'content-type': 'application/json' },
    };
    for (const [query, name] of [
      ['colour=red', 'colour'],
      ['Limit=1', 'Limit'],
      ['limit[]=1', 'limit[]'],
      ['limit%5B%5D=1', 'limit[]'],
      ['__proto__=1', '__proto__'],
      ['constructor=1', 'constructor'],
      ['toString', 'toString'],
      ['%00=1', '\0'],
      ['=1', ''],
      ['%', '%'],
      [`${'x'.repeat(5_000)}=1`, 'x'.repeat(100)],
    ]) {
      const path = `${pathOf(route)}?${query}`;
      const { status, body } = await callerOf(route).send(route.method.toUpperCase(), path, options);
      t.is(status, 400, `${nameOf(route)} ${query}`);
      t.like(body.error, {
        code: 'invalid_request',
        details: [{ path: `query.${name}`, code: 'unrecognized_member' }],
      });
    }
  }
});

test('a query parameter that is repeated, damaged or not of its kind is refused by name', async t => {
  const { as } = await world(t);
  const refused: [list: string, query: string, name: string][] = [
    ['events', 'rail=card&rail=card', 'rail'],
    ['events', 'q=ab&q=cd', 'q'],
    ['alerts', 'limit=1&state=open&limit=1', 'limit'],
    ['events', 'q=%E0%A4%A', 'q'],
    ['events', 'q=%FF%FE', 'q'],
    ['events', 'q=caf%E9', 'q'],
    ['events', 'q=ab%00', 'q'],
    ['events', 'q=%ED%A0%80', 'q'],
    ['events', 'q=', 'q'],
    ['events', 'q=a', 'q'],
    ['events', 'q=%20%20a%20', 'q'],
    ['events', `q=${'a'.repeat(201)}`, 'q'],
    ['events', 'agent_id=agt_1', 'agent_id'],
    ['events', 'agent_id=evt_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'agent_id'],
    ['events', 'agent_id=agt_81ARZ3NDEKTSV4RRFFQ69G5FAV', 'agent_id'],
    ['events', 'agent_id=agt_01ARZ3NDEKTSV4RRFFQ69G5FAV%20', 'agent_id'],
    ['events', 'owner_id=', 'owner_id'],
    ['events', 'payee_id=%27%20or%201=1--', 'payee_id'],
    ['events', 'rail=Card', 'rail'],
    ['events', 'rail=card,sepa', 'rail'],
    ['events', 'status=', 'status'],
    ['events', 'verification=yes', 'verification'],
    ['alerts', 'state=closed', 'state'],
    ['alerts', 'severity=urgent', 'severity'],
    ['alerts', 'detector=unheard_of', 'detector'],
    ['alerts', 'event_id=alr_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'event_id'],
    ['alerts', 'case_id=1', 'case_id'],
  ];
  for (const [list, query, name] of refused) {
    const { status, body } = await as.get(`/v1/${list}?${query}`);
    t.is(status, 400, query);
    t.is(body.error.code, 'invalid_request');
    t.is(body.error.details[0].path, `query.${name}`, query);
  }
});

test('every faulty query parameter is named at once', async t => {
  const { as } = await world(t);
  const { body } = await as.get('/v1/events?rail=gold&from=yesterday&limit=0');
  t.deepEqual(body.error.details.map(({ path }: { path: string }) => path).toSorted(), [
    'query.from',
    'query.limit',
    'query.rail',
  ]);
});

for (const list of ['events', 'alerts']) {
  test(`a time in the query of ${list} has to be one of RFC 3339, and any of those will do`, async t => {
    const { as } = await world(t);
    const statusOf = async (text: string) => (await as.get(`/v1/${list}?from=${text}&to=${text}`)).status;
    for (const text of [
      '2026-11-20T09:00:00Z',
      '2026-11-20T09:00:00.123456789Z',
      '2026-11-20T10:00:00%2B01:00',
      '2026-11-20T10:00:00+01:00',
      '2026-11-20T10:00:00-23:59',
      '2024-02-29T00:00:00Z',
      '1970-01-01T00:00:00Z',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
    ])
      t.is(await statusOf(text), 200, text);
    for (const text of [
      '',
      'yesterday',
      '1763629200000',
      '2026-11-20',
      '2026-11-20T09:00:00',
      '2026-11-20%2009:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T09:00:60Z',
      '2026-11-20T09:00:00+24:00',
      '2026-11-20T09:00:00+1:00',
      '%2B012026-11-20T09:00:00Z',
      '-000001-11-20T09:00:00Z',
      'infinity',
      'now()',
    ])
      t.is(await statusOf(text), 400, text);
  });

  test(`a time at the edge of the calendar is no error of the service in the query of ${list}`, async t => {
    const { as } = await world(t);
    for (const text of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00'])
      for (const name of ['from', 'to']) {
        const { status } = await as.get(`/v1/${list}?${name}=${text}`);
        t.true(status === 200 || status === 400, `${name}=${text} answered ${status}`);
      }
  });
}

test('from is inclusive and to exclusive, to the millisecond, in any offset', async t => {
  const { as } = await world(t);
  const at = Date.now() - 3_600_000;
  const sent = [event({ at }), event({ at: at + 1 }), event({ at: at + 2 })];
  await as.post('/v1/events', { events: sent });
  const time = (moment: number) => new Date(moment).toISOString();
  const inOffset = (moment: number) => time(moment + 2 * 3_600_000).replace('Z', '+02:00');
  for (const write of [time, inOffset]) {
    const { body } = await as.get(`/v1/events?from=${write(at + 1)}&to=${write(at + 2)}`);
    t.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [sent[1]?.id],
    );
  }
  t.deepEqual((await as.get(`/v1/events?from=${time(at + 2)}&to=${time(at)}`)).body.data, []);
});
