import { createHash } from 'node:crypto';
import test from 'ava';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';
import { noRates } from '#shared/values/price_in_usd.ts';
import { eventInput, normalized, now, problems } from '#test/helpers/event_input.ts';

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const evidence = (...items: Record<string, unknown>[]) => eventInput({ evidence: items });

test('evidence is hashed as the bytes it stands for, and the event holds the hash in its place', t => {
  const event = normalized(
    evidence(
      { kind: 'x402.payment_payload', value: 'héllo' },
      { kind: 'http.body', value: 'AAEC', encoding: 'base64', media_type: 'image/png', label: 'Picture' },
      { kind: 'onchain.transaction', value: { network: 'eip155:8453', hash: '0x1' } },
    ),
  );
  t.deepEqual(
    event.evidence.map(item => [item.value, item.encoding, item.is_object, item.sha256]),
    [
      ['héllo', 'utf8', false, sha256('héllo')],
      ['AAEC', 'base64', false, sha256(Buffer.from([0, 1, 2]))],
      ['{"hash":"0x1","network":"eip155:8453"}', 'utf8', true, sha256('{"hash":"0x1","network":"eip155:8453"}')],
    ],
  );
  t.deepEqual(JSON.parse(event.input).evidence[1], {
    kind: 'http.body',
    value: sha256(Buffer.from([0, 1, 2])),
    encoding: 'base64',
    media_type: 'image/png',
    label: 'Picture',
  });
  t.false(event.input.includes('héllo'));
});

test('member order and a default encoding do not make other evidence', t => {
  const one = normalized(evidence({ kind: 'a.b', value: { x: 1, y: [2] } }));
  const other = normalized(evidence({ value: { y: [2], x: 1 }, encoding: 'utf8', kind: 'a.b' }));
  t.is(one.digest, other.digest);
});

test('evidence that cannot be kept is refused', t => {
  for (const [item, expected] of [
    [{ kind: 'Receipt', value: 'x' }, '/evidence/0/kind invalid_format'],
    [{ kind: 'receipt', value: 'x' }, '/evidence/0/kind invalid_format'],
    [{ kind: 'a.b' }, '/evidence/0/value required'],
    [{ kind: 'a.b', value: ['x'] }, '/evidence/0/value invalid_type'],
    [{ kind: 'a.b', value: '' }, '/evidence/0/value too_short'],
    [{ kind: 'a.b', value: 'a\0b' }, '/evidence/0/value invalid_value'],
    [{ kind: 'a.b', value: { text: '\ud800' } }, '/evidence/0/value invalid_value'],
    [{ kind: 'a.b', value: 'ü'.repeat(32_769) }, '/evidence/0/value too_long'],
    [{ kind: 'a.b', value: { text: 'x'.repeat(65_536) } }, '/evidence/0/value too_long'],
    [{ kind: 'a.b', value: {}, encoding: 'base64' }, '/evidence/0/encoding not_allowed'],
    [{ kind: 'a.b', value: 'AAE', encoding: 'base64' }, '/evidence/0/value invalid_format'],
    [{ kind: 'a.b', value: 'AA-_', encoding: 'base64' }, '/evidence/0/value invalid_format'],
    [{ kind: 'a.b', value: 'x', encoding: 'hex' }, '/evidence/0/encoding invalid_value'],
    [{ kind: 'a.b', value: 'x', media_type: 'json' }, '/evidence/0/media_type invalid_format'],
    [{ kind: 'a.b', value: 'x', note: 'y' }, '/evidence/0/note unrecognized_member'],
  ] as const) {
    t.deepEqual(problems(evidence(item)), [expected]);
  }
});

test('16 pieces of 64 KB are the most', t => {
  const piece = { kind: 'a.b', value: 'x'.repeat(65_536) };
  t.deepEqual(problems(evidence(...Array.from({ length: 16 }, () => piece))), []);
  t.deepEqual(problems(evidence(...Array.from({ length: 17 }, () => piece))), ['/evidence too_long']);
});

test('a full card number is refused in ACP, PSP and card evidence, and is not repeated', t => {
  const number = '4242424242424242';
  const payload = JSON.stringify({ card: { number } });
  for (const [item, path] of [
    [
      { kind: 'acp.delegate_payment', value: { payment_method: { number } } },
      '/evidence/0/value/payment_method/number',
    ],
    [{ kind: 'psp.webhook', value: { headers: {}, body: payload } }, '/evidence/0/value/body'],
    [{ kind: 'card.authorization', value: payload }, '/evidence/0/value'],
    [
      { kind: 'card.authorization', value: Buffer.from(payload).toString('base64'), encoding: 'base64' },
      '/evidence/0/value',
    ],
  ] as const) {
    const result = normalizeEvent(evidence(item), { now, max_age_days: 400, rates: noRates });
    t.false(result.ok);
    t.deepEqual(problems(evidence(item)), [`${path} card_number`]);
    t.notRegex(JSON.stringify(result), /4242/);
  }
});

test('tokens, last digits and other evidence with long numbers are kept', t => {
  for (const item of [
    { kind: 'acp.delegate_payment', value: { payment_method: { number: 'tok_4242', last4: '4242' } } },
    { kind: 'psp.webhook', value: { headers: {}, body: '{"order":"4242424242424242"}' } },
    { kind: 'x402.receipt', value: { number: '4242424242424242' } },
  ]) {
    t.deepEqual(problems(evidence(item)), []);
  }
});
