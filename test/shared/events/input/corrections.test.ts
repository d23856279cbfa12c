import test from 'ava';
import { rails } from '#shared/values/rails.ts';
import { noRates } from '#shared/values/price_in_usd.ts';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';
import { cents, eventInput, now, problems } from '#test/helpers/event_input.ts';

const issuesOf = (input: unknown) => {
  const result = normalizeEvent(input, { now, max_age_days: 400, rates: noRates });
  return result.ok ? [] : result.issues;
};

const usdc = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
const token = (value: unknown, asset: object = usdc) => ({ payment: { amount: { value, unit: 'atomic', asset } } });

// What was sent, where it is wrong, and what is shown to be right there.
const corrections: [sent: Record<string, unknown>, path: string, example: unknown][] = [
  [cents('100', 'usd'), '/payment/amount/currency', 'USD'],
  [cents('100', '€'), '/payment/amount/currency', 'EUR'],
  [cents(12.5 as unknown as string, 'EUR'), '/payment/amount/value', '1250'],
  [cents('12.50', 'EUR'), '/payment/amount/value', '1250'],
  [cents('0.05', 'EUR'), '/payment/amount/value', '5'],
  [cents('12.5', 'KWD'), '/payment/amount/value', '12500'],
  [cents(1250 as unknown as string, 'EUR'), '/payment/amount/value', '1250'],
  [cents('0012', 'EUR'), '/payment/amount/value', '12'],
  [eventInput(token(0.01)), '/payment/amount/value', '10000'],
  [eventInput(token('1', { ...usdc, network: 'Base' })), '/payment/amount/asset/network', 'eip155:8453'],
  [eventInput({ occurred_at: '2026-11-20T09:15:30' }), '/occurred_at', '2026-11-20T09:15:30Z'],
  [eventInput({ occurred_at: '2026-11-20 09:15:30.25+0100' }), '/occurred_at', '2026-11-20T09:15:30.25+01:00'],
  [eventInput({ occurred_at: '2026-11-20' }), '/occurred_at', '2026-11-20T00:00:00Z'],
  [eventInput({ occurred_at: 1_763_629_200 }), '/occurred_at', '2025-11-20T09:00:00.000Z'],
  [eventInput({ occurred_at: '1763629200000' }), '/occurred_at', '2025-11-20T09:00:00.000Z'],
  [eventInput({ occurred_at: 'Thu, 20 Nov 2025 09:00:00 GMT' }), '/occurred_at', '2025-11-20T09:00:00.000Z'],
  [eventInput({ type: 'settled' }), '/type', 'payment.settled'],
  [eventInput({ type: 'payment.cancelled' }), '/type', 'payment.canceled'],
  [eventInput({ payment: { status: 'pending' } }), '/payment/status', 'settled'],
  [eventInput({ payment: { status: 'Settled' } }), '/payment/status', 'settled'],
  [eventInput({ payment: { rail: 'X402' } }), '/payment/rail', 'x402'],
  [eventInput({ payment: { amount: { unit: 'wei' } } }), '/payment/amount/unit', 'atomic'],
  [eventInput({ payment: { payee: { country: 'us' } } }), '/payment/payee/country', 'US'],
  [eventInput({ owner: { country: 'UK' } }), '/owner/country', 'GB'],
  [eventInput({ owner: { country: 'Germany' } }), '/owner/country', 'DE'],
  [
    eventInput({ payment: { payee: { key: 'domain:https://Shop.example/x' } } }),
    '/payment/payee/key',
    'domain:shop.example',
  ],
  [eventInput({ category: 742 }), '/category', '0742'],
  [eventInput({ resource_url: 'api.example.com/v1' }), '/resource_url', 'https://api.example.com/v1'],
  [eventInput({ context: { attempt: '2' } }), '/context/attempt', 2],
  [eventInput({ context: { human_present: 'false' } }), '/context/human_present', false],
];

test('a refusal says what was sent and shows what would be taken in its place', t => {
  for (const [sent, path, example] of corrections) {
    const issue = issuesOf(sent).find(each => each.path === path);
    t.deepEqual(issue?.example, example, `${path} ${JSON.stringify(sent)}`);
    t.true(issue?.message.endsWith(`; send ${JSON.stringify(example)}.`), issue?.message);
    const corrected = structuredClone(sent);
    const steps = path.split('/').slice(1);
    const object = steps.slice(0, -1).reduce((value, step) => value[step] as Record<string, unknown>, corrected);
    object[steps.at(-1) ?? ''] = example;
    t.false(
      problems(corrected).some(problem => problem.startsWith(`${path} `) && !problem.endsWith('too_old')),
      path,
    );
  }
});

test('what nobody can know is not guessed', t => {
  for (const [sent, path] of [
    [cents('12.505', 'EUR'), '/payment/amount/value'],
    [cents('-5', 'EUR'), '/payment/amount/value'],
    [cents('1,250', 'EUR'), '/payment/amount/value'],
    [cents('12.5', 'dollars'), '/payment/amount/value'],
    [eventInput({ occurred_at: 'yesterday' }), '/occurred_at'],
    [eventInput({ occurred_at: new Date(now + 600_000).toISOString() }), '/occurred_at'],
    [eventInput({ occurred_at: '2024-11-20T09:00:00Z' }), '/occurred_at'],
    [eventInput({ occurred_at: '2026-02-30' }), '/occurred_at'],
    [eventInput({ payment: { rail: 'paypal' } }), '/payment/rail'],
    [eventInput({ type: 'payment.refunded' }), '/payment/status'],
    [eventInput({ payment: { payee: { key: 'iban:DE88370400440532013000' } } }), '/payment/payee/key'],
  ] as const) {
    const issue = issuesOf(sent).find(each => each.path === path);
    t.truthy(issue, path);
    t.is(issue?.example, undefined, issue?.message);
    t.regex(issue?.message ?? '', /It was "/);
  }
});

test('an amount that is too long is told how long it may be', t => {
  const [issue] = issuesOf(eventInput({ payment: { amount: { value: '1'.repeat(79) } } }));
  t.regex(issue?.message ?? '', /must be a whole number of at most 78 decimal digits/);
});

test('a missing member is shown with an example, an id of the wrong kind with where it belongs', t => {
  const [rail] = issuesOf(eventInput({ payment: { rail: undefined } }));
  t.deepEqual(rail, {
    path: '/payment/rail',
    code: 'required',
    message: `payment.rail is required: one of ${rails.join(', ')}. An example: "x402".`,
    example: 'x402',
  });
  const [id] = issuesOf(eventInput({ id: undefined }));
  t.is(id?.message, 'id is required.');
  const [agent] = issuesOf(eventInput({ agent: undefined, agent_id: 'agent-7' }));
  t.regex(agent?.message ?? '', /an id of your own goes into agent\.external_id\. It was "agent-7"\./);
  const [typo] = issuesOf(eventInput({ ocurred_at: 1 }));
  t.is(typo?.message, 'ocurred_at is not a known member; did you mean occurred_at?');
  const [status] = issuesOf(eventInput({ type: 'payment.refunded' }));
  t.is(
    status?.message,
    'payment.status must be refunded or partially_refunded in an event of type payment.refunded. It was "settled".',
  );
});

test('a refusal repeats neither a card number, nor a password of a URL, nor evidence', t => {
  const told = (changes: Record<string, unknown>) =>
    issuesOf(eventInput(changes))
      .map(({ message }) => message)
      .join();
  t.notRegex(told({ instrument: { last4: '4111111111111111' } }), /4111111/);
  t.regex(told({ instrument: { last4: '4111111111111111' } }), /1111/);
  t.notRegex(told({ resource_url: 'https://ada:hunter2@example.com/' }), /hunter2/);
  t.notRegex(told({ evidence: [{ kind: 'acme.note', value: 'c2VjcmV0IQ=', encoding: 'base64' }] }), /c2Vj/);
  t.notRegex(told({ evidence: [{ kind: 'card.data', value: { pan: '4111111111111111' } }] }), /4111/);
  t.notRegex(told({ signature: 'hunter2' }), /hunter2/);
});
