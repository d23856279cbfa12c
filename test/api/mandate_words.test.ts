import test from 'ava';
import { kindWords, wordsOfKind } from '#shared/mandates/kinds/index.ts';
import { constraintText } from '#api/dashboard/browser/pages/mandates/constraint_words.ts';
import { digitsOf, placesOf, typedOf } from '#api/dashboard/browser/pages/mandates/money_text.ts';
import { Constraint, constraintTypes } from '#shared/mandates/constraints.ts';

const usdc = { asset: { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' } };

test('the dashboard can write every kind of constraint, and says each in words', t => {
  t.deepEqual(kindWords.map(({ type }) => type).toSorted(), constraintTypes.toSorted());
  for (const option of Constraint.options) {
    const [example] = (option.meta()?.['examples'] ?? []) as { type: string }[];
    if (!example) throw new Error('a constraint has no example');
    t.notRegex(constraintText(example), /unknown constraint|undefined|NaN|object/, constraintText(example));
    for (const { name } of wordsOfKind(example.type)?.fields ?? [])
      t.true(name in option.shape, `${example.type} has ${name}`);
  }
});

test('a constraint that nobody here knows is named as that', t => {
  t.regex(constraintText({ type: 'payment.moon_phase' }), /^Moon phase: unknown constraint/);
});

test('amounts are typed as people write them, and never mean another amount', t => {
  const dollars = placesOf({ currency: 'USD' });
  const tokens = placesOf(usdc);
  t.deepEqual([dollars, tokens, placesOf({ currency: 'JPY' })], [2, 6, 0]);
  t.is(digitsOf('12.50', dollars), '1250');
  t.is(digitsOf(' 12.5 ', dollars), '1250');
  t.is(digitsOf('0.001', tokens), '1000');
  t.is(digitsOf('0', dollars), '0');
  t.is(digitsOf('123456789012345678901234567890.01', dollars), '12345678901234567890123456789001');
  for (const wrong of ['', '.5', '5.', '1,500', '1,5', '-1', '1e3', '0.001', '$5', '12.505'])
    t.is(digitsOf(wrong, dollars), null, wrong);
  for (const digits of ['0', '1', '100', '1250', '100000000'])
    for (const places of [0, 2, 6]) t.is(digitsOf(typedOf(digits, places), places), digits);
});
