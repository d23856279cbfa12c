import test from 'ava';
import { findCardNumber } from '#shared/values/card_number.ts';

test('a full card number is found wherever it is named, also in JSON held by a string', t => {
  for (const [value, path] of [
    [{ payment_method: { number: '4242424242424242' } }, ['payment_method', 'number']],
    [{ card: [{ cardNumber: '5555 5555 5555 4444' }] }, ['card', '0', 'cardNumber']],
    [{ PAN: '3782-822463-10005' }, ['PAN']],
    [{ primary_account_number: 6011111111111117 }, ['primary_account_number']],
    [{ headers: {}, body: '{"data":{"card":{"number":"4000056655665556"}}}' }, ['body']],
    ['{"number":"2223003122003222"}', []],
    ['[{"x":"{\\"number\\":\\"4242424242424242\\"}"}]', []],
  ] as const) {
    t.deepEqual(findCardNumber(value), [...path], JSON.stringify(value));
  }
});

test('what only looks like a card number is left alone', t => {
  for (const value of [
    { number: '4242424242424241' },
    { number: '424242' },
    { number: '9999999999999995' },
    { order_id: '4242424242424242' },
    { last4: '4242', number: 'tok_4242424242424242' },
    { number: { value: '4242424242424242' } },
    { body: 'number=4242424242424242' },
    '{"number": "4242424242424242"',
    '4242424242424242',
    null,
  ]) {
    t.is(findCardNumber(value), null, JSON.stringify(value));
  }
});

test('a hostile value is looked through without running out of stack', t => {
  const deep = `${'['.repeat(30_000)}{"number":"4242424242424242"}${']'.repeat(30_000)}`;
  t.deepEqual(findCardNumber({ body: deep }), ['body']);
  t.is(findCardNumber(`${'['.repeat(60_000)}1234567890123`), null);
});
