import test from 'ava';
import { DAY, HOUR } from '#shared/values/time.ts';
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
