import test from 'ava';
import { DAY, HOUR } from '#shared/values/time.ts';
import { areChainsUsual, learnDay, learnSharedName, noSpreads } from '#shared/detection/model/spreads.ts';
import { type EventStep, noon, play } from '#test/helpers/play.ts';

const keys = {
  paper: 'iban:DE89370400440532013000',
  power: 'iban:DE75512108001245126199',
  ...Object.fromEntries(
    ['DE02120300000000202051', 'DE02500105170137075030', 'DE02100500000054540402', 'DE02300209000106531065'].map(
      (iban, n) => [`supplier_${n}`, `iban:${iban}`],
    ),
  ),
  ...Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`hotel_${n}`, `merchant:stripe:acct_hotel${n}`])),
  inn_1: 'merchant:stripe:acct_inn1',
  inn_2: 'merchant:stripe:acct_inn2',
};
const substituted = (steps: EventStep[], names: Record<string, string> = {}) =>
  play(steps, 'payee_substitution', { keys, names });

test('substitution: two names at one web address are two payees, but for what x402 pays for', t => {
  const at = { payee_name_key: null, domain_key: 'invoices.example' };
  const told = (names: Record<string, string>, step: Partial<EventStep> = {}) =>
    substituted(
      [
        { at: noon - DAY, payee_id: 'paper', ...at, ...step },
        { at: noon, payee_id: 'power', ...at, ...step },
      ],
      names,
    ).length;
  const two = { paper: 'Paper Mill Ltd', power: 'City Power AG' };
  t.is(told(two, { rail: 'sepa' }), 0);
  t.is(told(two, { rail: 'x402' }), 1);
  t.is(told({ paper: 'Paper Mill Ltd', power: 'PAPER  mill ltd' }, { rail: 'sepa' }), 1);
  t.is(told({ paper: 'Paper Mill Ltd' }, { rail: 'sepa' }), 1);
  for (const name of ['Acme', 'Acme Ltd.', 'ACME Limited', 'Acme, Ltd (new bank)', 'Acrne Ltd'])
    t.is(told({ paper: 'Acme Ltd', power: name }, { rail: 'sepa' }), 1, name);
  t.is(told({ paper: 'Müller GmbH', power: 'Mueller GmbH' }, { rail: 'sepa' }), 1);
  t.is(told({ paper: 'Acme Ltd', power: 'Zenith Ltd' }, { rail: 'sepa' }), 0);
});

test('substitution: a web address with many accounts is shared, however alike two of its names are', t => {
  const names = {
    supplier_0: 'City Power',
    supplier_1: 'Paper Mill',
    supplier_2: 'Blue Cabs',
    supplier_3: 'City Gardens',
  };
  const steps = Object.keys(names).map((payee_id, n) => ({
    at: noon + n * DAY,
    payee_id,
    payee_name_key: null,
    domain_key: 'invoices.example',
    rail: 'sepa' as const,
  }));
  t.deepEqual(substituted(steps, names), []);
  const [told] = substituted(
    [steps[0], steps[1], steps[3]].flatMap(step => step ?? []),
    names,
  );
  t.is(told?.subject, 'supplier_3');
  t.regex(told?.explanation ?? '', /Until now, payments under the same web address went to/);
});

test('substitution: a merchant with many accounts is shared, whichever agents know them, and one with few is told of what the agent paid', t => {
  const paid = (n: number, agent_id: string, at: number) => ({
    at,
    agent_id,
    payee_id: `hotel_${n}`,
    payee_name_key: 'hotels',
  });
  const byOne = (accounts: number) => Array.from({ length: accounts }, (_, n) => paid(n, 'one', noon - DAY + n * HOUR));
  const byOther = [paid(4, 'other', noon), paid(5, 'other', noon + HOUR)];
  const ofOther = (steps: EventStep[]) => substituted(steps).filter(({ seq }) => steps[seq - 1]?.agent_id === 'other');
  t.deepEqual(ofOther([...byOne(4), ...byOther]), []);
  const [finding, ...more] = ofOther([...byOne(1), ...byOther]);
  t.deepEqual(more, []);
  t.regex(
    finding?.explanation ?? '',
    /Until now, payments of this agent under the same name went to the Stripe account acct_hotel4 \(/,
  );
});

test('substitution: once two chains are known, no shop of a chain is told of, unless the agent pays the other again and again', t => {
  const shop = (payee_id: string, day: number, name: string, more: Partial<EventStep> = {}): EventStep => ({
    at: noon + day * DAY,
    payee_id,
    payee_name_key: name,
    ...more,
  });
  const chain = (name: string, first: number, more: Partial<EventStep> = {}) =>
    [0, 1, 2].map(n => shop(`hotel_${first + n}`, n, name, more));
  const chains = (more: Partial<EventStep> = {}) => [...chain('fuel', 0, more), ...chain('parking', 3, more)];
  const told = (steps: EventStep[]) =>
    substituted(steps).flatMap(({ subject }) => (subject.startsWith('hotel_') ? [] : [subject]));
  const brand = (more: Partial<EventStep> = {}) => [shop('inn_1', 3, 'inns', more), shop('inn_2', 20, 'inns', more)];
  t.deepEqual(told(brand()), ['inn_2']);
  t.deepEqual(told([...chain('fuel', 0), ...brand()]), ['inn_2'], 'one chain');
  t.deepEqual(told([...chains(), ...brand()]), []);
  t.deepEqual(told([...chains({ usd: 0.5 }), ...brand()]), ['inn_2'], 'cents teach nothing');
  t.deepEqual(told([...chains(), ...brand({ rail: 'sepa' })]), ['inn_2'], 'not by card');
  const bank = [shop('paper', 3, 'mill'), shop('power', 20, 'mill')];
  t.deepEqual(told([...chains(), ...bank]), ['power'], 'no merchants');
  const inn = Array.from({ length: 5 }, (_, day) => shop('inn_1', 3 + day, 'inns'));
  t.deepEqual(told([...chains(), ...inn, shop('inn_2', 20, 'inns')]), ['inn_2'], 'a supplier');
  const spreads = noSpreads();
  for (const each of [true, true]) learnSharedName(spreads, each);
  t.true(areChainsUsual(spreads));
  for (let day = 0; day < 3_000; day += 1) learnDay(spreads, day * DAY);
  t.false(areChainsUsual(spreads), 'it is long ago');
});

test('substitution: a new payee whose name may be read for that of one that the agent pays is told, and of two of a kind nothing', t => {
  const pay = (payee_id: string, at: number, step: Partial<EventStep> = {}) => ({
    at,
    payee_id,
    payee_name_key: payee_id,
    ...step,
  });
  const told = (known: string, almost: string, [first, second] = ['paper', 'power'], step: Partial<EventStep> = {}) =>
    substituted([pay(first, noon - DAY), pay(second, noon, step), pay(second, noon + DAY, step)], {
      [first]: known,
      [second]: almost,
    });
  for (const almost of [
    'Coobaltbrook Thrift',
    'Cobalbrook Thrift',
    'Cobatlbrook Thrift',
    'CobaItbrook Thrift',
    'COBALT-BROOK Thrift, Inc.',
    'Соbаltbrооk Тhrіft',
    'C0ba1tbrook Thrift',
  ]) {
    const [finding, ...more] = told('Cobaltbrook Thrift', almost);
    t.deepEqual(more, [], almost);
    t.is(finding?.title, '{payee} is named almost like another payee', almost);
    t.regex(
      finding?.explanation ?? '',
      /may be read for that of “Cobaltbrook Thrift”, .* which the agent paid once, on 2026-11-19/,
    );
  }
  t.is(told('Anthropic', 'Antropic').length, 1);
  t.is(told('Bernard Supplies', 'Bemard Supplies').length, 1);
  t.is(told('Alna Studio AB', 'AIna Studi0 AB').length, 1);
  t.is(told('Orbital Freight', '0rbital Freight').length, 1);
  t.is(told('Cobaltbrook Thrift', 'Coobaltbrook Thrift', ['paper', 'power'], { agent_id: 'other' }).length, 0);
  // Neither a request for another nor what was paid later hides or makes one.
  const names = { paper: 'Cobaltbrook Thrift', supplier_0: 'Cobalt-brook Thrift', power: 'Cobalt brook Thrift' };
  const asked = pay('supplier_0', noon - HOUR, { type: 'payment.requested' });
  t.is(substituted([pay('paper', noon - DAY), asked, pay('power', noon)], names).at(-1)?.subject, 'power');
  const newestFirst = [noon, noon - DAY, noon - 2 * DAY].flatMap(at => [pay('paper', at), pay('power', at - HOUR)]);
  t.is(substituted(newestFirst, names).length, 0);
  // Each shop of a merchant may write its own name.
  const shops: [string, string] = ['hotel_0', 'hotel_1'];
  t.is(told('Hotel Seeblick GmbH', 'Hotel See-Blick', shops).length, 0);
  t.is(told('Hotel Seeblick GmbH', 'Hotel Seeblick', shops, { payee_country: 'NG' }).length, 0);
  t.is(told('Hotel Seeblick', 'Hotel Seeblickk GmbH', shops).length, 0);
  t.is(told('Hotel Seeblick', 'Hotel Seeeblick GmbH', shops)[0]?.severity, 'medium');
  for (const [known, other] of [
    ['Cobaltbrook Thrift', 'Cobaltbrook Gifts'],
    ['Cobaltbrook Thrift', 'Kobaltbrook Thrift'],
    ['Warehouse 10 North', 'Warehouse 11 North'],
    ['Parkhaus1', 'Parkhaus'],
    ['Parkhaus 0', 'Parkhaus o'],
    ['Harbor Store A', 'Harbor Store B'],
    ['Martin Weber', 'Martina Weber'],
    ['Christian Koch', 'Christina Koch'],
    ['Stadtwerke Freiburg', 'Stadtwerke Freiberg'],
    ['Tech Service', 'Tech Services'],
    ['上海明月科技有限公司', '上海明日科技有限公司'],
    ['supplier_abcdef', 'supplier_abcdeg'],
    ['Acme', 'Acne'],
  ] as const)
    t.is(told(known, other).length, 0, other);
});
