import { createHash } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { eventTypes, paymentStatuses } from '#shared/values/event_types.ts';
import { noRates } from '#shared/values/price_in_usd.ts';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';
import { cents, documentedEvent, eventInput, normalized, now, problems } from '#test/helpers/event_input.ts';
import { runs } from '#test/helpers/runs.ts';
import { loadedRate } from '#test/helpers/rates.ts';

test('the documented example is accepted', t => {
  for (const example of documentedEvent)
    t.deepEqual(problems({ ...(example as object), occurred_at: '2026-11-20T09:00:00Z' }), []);
});

test('an event comes out in its normal form', t => {
  const event = normalized(eventInput({ context: { run_id: 'run_1', tool_name: 'search', attempt: 2 } }));
  t.like(event, {
    occurred_at: '2026-11-20T09:30:00.000Z',
    source_id: null,
    agent: { external_id: 'agent-7', name: 'Research agent' },
    amount_value: '1000',
    amount_unit: 'atomic',
    amount_denomination: 'eip155:8453/0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    usd_micro: '1000',
    usd_minor: '0',
    run_id: 'run_1',
    tool_name: 'search',
    attempt: 2,
    tool_call_id: null,
    signed_input: null,
  });
  t.deepEqual(event.payee, {
    key: 'eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    type: null,
    name: null,
    country: null,
  });
});

test('the digest is the SHA-256 of the canonical normal form, which has no members of the server', t => {
  const { input, digest } = normalized(eventInput());
  t.is(input, canonicalJson(JSON.parse(input)));
  t.is(digest, createHash('sha256').update(input).digest('hex'));
  t.deepEqual(JSON.parse(input), eventInput());
});

test('the same event in another spelling is the same content', t => {
  const { digest } = normalized(eventInput());
  for (const spelling of [
    { id: 'EVT_01kadg3m5qj8v2x4z6b7c9d0ef' },
    { occurred_at: '2026-11-20T10:30:00.0004+01:00' },
    { payment: { amount: { asset: { network: 'base' } } } },
    { payment: { amount: { asset: { address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' } } } },
    { payment: { payee: { key: 'base:0x209693bc6afc0c5328ba36faf03c514ef312287c' } } },
  ]) {
    t.is(normalized(eventInput(spelling)).digest, digest, JSON.stringify(spelling));
  }
  t.not(normalized(eventInput({ payment: { amount: { value: '1001' } } })).digest, digest);
  t.not(normalized(eventInput({ description: 'x' })).digest, digest);
});

test('a status that does not belong to the event type is refused', t => {
  const allowed = eventTypes.flatMap(type =>
    paymentStatuses
      .filter(status => problems(eventInput({ type, payment: { status } })).length === 0)
      .map(status => `${type} ${status}`),
  );
  t.deepEqual(allowed, [
    'payment.requested pending',
    'payment.authorized authorized',
    'payment.settled settled',
    'payment.failed failed',
    'payment.canceled canceled',
    'payment.refunded refunded',
    'payment.refunded partially_refunded',
    'payment.disputed disputed',
  ]);
  t.deepEqual(problems(eventInput({ type: 'payment.failed' })), ['/payment/status status_not_allowed']);
});

test('an event may be 5 minutes ahead and 400 days old, no more', t => {
  const at = (offset: number) => problems(eventInput({ occurred_at: new Date(now + offset).toISOString() }));
  const day = 86_400_000;
  t.deepEqual(at(300_000), []);
  t.deepEqual(at(300_001), ['/occurred_at too_far_ahead']);
  t.deepEqual(at(-400 * day), []);
  t.deepEqual(at(-400 * day - 1), ['/occurred_at too_old']);
  t.deepEqual(problems(eventInput({ occurred_at: '2026-11-20 09:30:00Z' })), ['/occurred_at invalid_format']);
});

test('agent and owner are given once each: by id or by external id', t => {
  const agent_id = 'agt_01KADG3M5QJ8V2X4Z6B7C9D0EF';
  const owner_id = 'own_01KADG3M5QJ8V2X4Z6B7C9D0EF';
  t.deepEqual(problems(eventInput({ agent: undefined, owner: undefined })), [
    '/agent_id required',
    '/owner_id required',
  ]);
  t.deepEqual(problems(eventInput({ agent_id, owner_id })), ['/agent not_allowed', '/owner not_allowed']);
  const event = normalized(
    eventInput({ agent: undefined, owner: undefined, agent_id: agent_id.toLowerCase(), owner_id }),
  );
  t.deepEqual([event.agent, event.owner], [{ id: agent_id }, { id: owner_id }]);
});

test('every problem is reported at once, at its place below the pointer of the event', t => {
  const input = eventInput({
    id: undefined,
    type: 'payment.failed',
    occurred_at: 'yesterday',
    colour: 'red',
    owner: { country: 'UK' },
    payment: { amount: { value: '1.5', unit: 'atomic' }, payee: { key: 'iban:me', country: 'de' } },
    resource_url: 'weather',
    metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index, index])),
  });
  const result = normalizeEvent(input, { now, max_age_days: 400, rates: noRates, pointer: '/events/7' });
  t.false(result.ok);
  if (result.ok) return;
  t.deepEqual(result.issues.map(issue => `${issue.path} ${issue.code}`).toSorted(), [
    '/events/7/colour unrecognized_member',
    '/events/7/id required',
    '/events/7/metadata too_long',
    '/events/7/occurred_at invalid_format',
    '/events/7/payment/amount/value invalid_format',
    '/events/7/payment/payee/country invalid_format',
    '/events/7/payment/payee/key invalid_format',
    '/events/7/payment/status status_not_allowed',
    '/events/7/resource_url invalid_format',
  ]);
});

test('at most 20 problems are reported', t => {
  const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
  const result = normalizeEvent(
    { ...eventInput({ id: 'EVT_01kadg3m5qj8v2x4z6b7c9d0ef' }), ...unknown },
    { now, max_age_days: 1, rates: noRates },
  );
  t.false(result.ok);
  t.is(result.ok ? 0 : result.issues.length, 20);
});

test('members with the wrong form are refused', t => {
  for (const [changes, expected] of [
    [{ owner: { country: 'UK' } }, '/owner/country unknown_country'],
    [{ agent: { external_id: ' ' } }, '/agent/external_id invalid_value'],
    [{ owner: { external_id: '\u00A0 ' } }, '/owner/external_id invalid_value'],
    [{ agent: { external_id: '\u200B' } }, '/agent/external_id invalid_value'],
    [{ payment: { payment_id: ' ' } }, '/payment/payment_id invalid_value'],
    [{ payment: { payment_id: '\u00A0\u200B\u2060' } }, '/payment/payment_id invalid_value'],
    [{ owner: { country: 'de' } }, '/owner/country invalid_format'],
    [{ payment: { payment_id: 'a\u0007' } }, '/payment/payment_id invalid_format'],
    [{ payment: { rail: 'ap2' } }, '/payment/rail invalid_value'],
    [{ category: '54' }, '/category invalid_format'],
    [{ signature: 'a.b.c' }, '/signature invalid_format'],
    [{ instrument: { last4: '42424' } }, '/instrument/last4 invalid_format'],
    [{ context: { attempt: 1.5 } }, '/context/attempt invalid_type'],
    [{ context: { parent_event_id: 'evt_1' } }, '/context/parent_event_id invalid_format'],
    [{ resource_url: 'javascript:alert(1)' }, '/resource_url not_allowed'],
    [{ resource_url: 'https://user:secret@example.com/' }, '/resource_url not_allowed'],
    [{ resource_url: ' https://example.com/' }, '/resource_url invalid_format'],
    [{ metadata: { a: 'x'.repeat(16_384) } }, '/metadata too_long'],
    [{ metadata: { a: '\0' } }, '/metadata invalid_value'],
    [{ metadata: [] }, '/metadata invalid_type'],
    [{ description: 'x'.repeat(1001) }, '/description too_long'],
  ] as const) {
    t.deepEqual(problems(eventInput(changes)), [expected]);
  }
});

test('members with an unusual but right form are accepted', t => {
  for (const changes of [
    { resource_url: 'mcp://weather/get_forecast' },
    { resource_url: 'urn:isbn:0451450523' },
    { description: 'two\nlines\tand 😀' },
    { metadata: { nested: { list: [1, null, '\\u0000'] } } },
    { failure: { code: 'insufficient_funds', message: 'No' } },
    { context: { attempt: 0, human_present: true } },
  ]) {
    t.deepEqual(problems(eventInput(changes)), [], JSON.stringify(changes));
  }
});

test('a signed event keeps the canonical text that was signed, as it was sent', t => {
  const sent = eventInput({ occurred_at: '2026-11-20T10:30:00+01:00', signature: 'eyJhbGciOiJFZERTQSJ9..c2ln' });
  const { signature, ...unsigned } = sent;
  t.is(normalized(sent).signed_input, canonicalJson(unsigned));
  t.is(JSON.parse(normalized(sent).input).signature, signature);
});

test('a signed event that was read says so in what its signature covers, and has no other content', t => {
  const sent = eventInput({ signature: 'eyJhbGciOiJFZERTQSJ9..c2ln' });
  const { signature: _, ...unsigned } = sent;
  const copy = normalized({ ...sent, chain_seq: 7, received_at: '2026-11-20T09:30:00.000Z' });
  t.is(copy.signed_input, canonicalJson({ ...unsigned, chain_seq: 7 }));
  t.is(copy.digest, normalized(sent).digest);
});

test('no input makes it throw', t => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const hostile = {
    get id() {
      throw new Error('no');
    },
  };
  for (const input of [
    undefined,
    null,
    0,
    '',
    [],
    cycle,
    hostile,
    new Map(),
    () => 1,
    eventInput({ metadata: cycle }),
    10n,
    Symbol('x'),
  ]) {
    t.true(problems(input).length > 0);
  }
  fc.assert(
    fc.property(fc.jsonValue(), value => void normalizeEvent(value, { now, max_age_days: 400, rates: noRates })),
  );
});

test('an event with any one member replaced by anything is judged without throwing, and is canonical when accepted', t => {
  const paths = [
    ['id'],
    ['type'],
    ['occurred_at'],
    ['agent'],
    ['payment'],
    ['payment', 'amount'],
    ['payment', 'amount', 'value'],
    ['payment', 'amount', 'asset'],
    ['payment', 'payee', 'key'],
    ['evidence'],
    ['metadata'],
    ['resource_url'],
    ['description'],
  ];
  const nest = (path: string[], value: unknown) =>
    path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
      const result = normalizeEvent(eventInput(nest(path, value) as Record<string, unknown>), {
        now,
        max_age_days: 400,
        rates: noRates,
      });
      if (result.ok) t.is(result.event.input, canonicalJson(JSON.parse(result.event.input)));
      else t.notRegex(result.issues.map(issue => issue.message).join(), /plain JSON data/);
    }),
    { numRuns: runs(1000) },
  );
});

test('an amount in another currency is priced by the rate of its day', t => {
  const rates = {
    rateFor: (currency: string, date: string) =>
      loadedRate(currency === 'EUR' && date === '2026-11-20' ? '1.25' : null),
  };
  t.like(normalized(cents('1000', 'EUR'), rates), {
    usd_minor: '1250',
    usd_micro: '12500000',
    amount_denomination: 'EUR',
  });
  t.like(normalized(cents('1000', 'GBP'), rates), { usd_minor: null, usd_micro: null });
});
