import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { every, HOUR, MINUTE, noon, play, type EventStep } from '#test/helpers/play.ts';

/** `count` payments to payees that were never paid before. */
const newPayees = (count: number, start: number, name: string, step: Partial<EventStep> = {}) =>
  every(10 * MINUTE, count, start, step).map((each, index) => ({ ...each, payee_id: `pye_${name}_${index}` }));
const fanOut = (steps: EventStep[], params = {}) => play(steps, 'payee_fan_out', { params });

test('fan-out: ten new payees within a day raise an alert, nine do not', t => {
  const [finding, ...more] = fanOut(newPayees(10, noon, 'a'));
  t.deepEqual(more, []);
  t.like(finding, { score: 50, title: '10 new payees within 24 h', subject: '', seq: 10 });
  t.is(new Set(finding?.seqs).size, 10);
  t.regex(
    finding?.explanation ?? '',
    /from 2026-11-20 12:00:00 to 13:30:00 UTC\); an alert is raised from 10\. There is no earlier day/,
  );
  t.deepEqual(fanOut(newPayees(9, noon, 'a')), []);
  t.is(fanOut(newPayees(9, noon, 'a'), { least: 9 }).length, 1);
});

test('fan-out: payees that were paid before, and payments that failed, add nothing', t => {
  const nine = newPayees(9, noon, 'a');
  t.deepEqual(fanOut([...nine, ...nine.map(step => ({ ...step, at: step.at + HOUR }))]), []);
  t.deepEqual(fanOut([...nine, { at: noon + HOUR, payee_id: 'pye_b', type: 'payment.failed' }]), []);
});

test('fan-out: the window is any 24 h, whatever order the payments arrive in', t => {
  const evening = newPayees(6, noon + 8 * HOUR, 'a');
  const morning = newPayees(4, noon + 20 * HOUR, 'b');
  t.is(fanOut([...evening, ...morning]).length, 1);
  t.is(fanOut([...morning, ...evening].toReversed()).length, 1);
  t.deepEqual(fanOut([...evening, ...newPayees(4, noon + 33 * HOUR, 'b')]), []);
});

test('fan-out: an agent that comes to a dozen new payees every day is silent until it comes to many more', t => {
  const days = Array.from({ length: 8 }, (_, day) =>
    newPayees(11 + (day % 3), noon - (8 - day) * DAY + (day % 4) * HOUR, `day_${day}`),
  ).flat();
  const firstDays = fanOut(days).map(({ seq }) => seq);
  t.true(firstDays.length > 0 && firstDays.every(seq => seq <= 24), `${firstDays}`);
  t.deepEqual(
    fanOut([...days, ...newPayees(13, noon, 'today')]).map(({ seq }) => seq),
    firstDays,
  );
  const many = fanOut([...days, ...newPayees(30, noon, 'today')]).at(-1);
  t.regex(
    many?.explanation ?? '',
    /On 8 of the 30 days before it came to new payees too, to 11\.9 a day on average: 30 of these within 16 h/,
  );
});

const keys = {
  pye_known: 'eip155:8453:0x1234aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa5678',
  pye_alike: 'eip155:8453:0x1234bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb5678',
  pye_moved: 'eip155:137:0x1234aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa5678',
  pye_other: 'eip155:8453:0x9999cccccccccccccccccccccccccccccccc0000',
  pye_third: 'eip155:8453:0x7777cccccccccccccccccccccccccccccccc0000',
  pye_fourth: 'eip155:1:0x6666cccccccccccccccccccccccccccccccc0000',
  pye_solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  pye_iban: 'iban:DE89370400440532013000',
  pye_iban_2: 'iban:DE75512108001245126199',
  pye_stripe: 'merchant:stripe:acct_1NQ2kLabcdefgh',
  pye_stripe_2: 'merchant:stripe:acct_2XXXXXXXXXXXXX',
  pye_adyen: 'merchant:adyen:acct_1NQ2kLabcdefgh',
  pye_domain: 'domain:shop.example.com',
  pye_ach: 'account:ach:021000021-123456789',
  pye_ach_2: 'account:ach:021000021-987654321',
  pye_pix: 'account:pix:anna@acme.example.com',
  pye_text: 'Acme Supplies: Hall 1: A',
  pye_text_2: 'Acme Supplies: Hall 2: B',
};
type Payee = keyof typeof keys;
const pay = (payee_id: Payee, at: number, step: Partial<EventStep> = {}): EventStep => ({
  payee_id,
  at,
  payee_name_key: 'acme',
  ...step,
});
const substituted = (steps: EventStep[], params = {}) => play(steps, 'payee_substitution', { keys, params });

test('substitution: a known name that comes with another account raises an alert, once', t => {
  const [finding, ...more] = substituted([
    pay('pye_known', noon - 30 * DAY),
    pay('pye_other', noon),
    pay('pye_other', noon + HOUR),
    pay('pye_known', noon + HOUR),
  ]);
  t.deepEqual(more, []);
  t.like(finding, {
    score: 80,
    subject: 'pye_other',
    seqs: [2],
    title: 'New wallet for {payee}',
  });
  t.regex(
    finding?.explanation ?? '',
    /for the wallet 0x9999…0000\. .* same name went to the wallet 0x1234…5678 \(first paid on 2026-10-21\)/,
  );
});

test('substitution: wallets that would look alike when shortened are told in full', t => {
  const [finding] = substituted([pay('pye_known', noon - 30 * DAY), pay('pye_alike', noon)]);
  for (const key of [keys.pye_known, keys.pye_alike])
    t.true(finding?.explanation.includes(`the wallet ${key.slice('eip155:8453:'.length)}`), finding?.explanation);
});

test('substitution: a known web address is as good as a name, and being asked to pay is enough', t => {
  const at = { payee_name_key: null, domain_key: 'api.example' };
  const steps = [pay('pye_known', noon - DAY, at), pay('pye_other', noon, { ...at, type: 'payment.requested' })];
  t.regex(substituted(steps)[0]?.explanation ?? '', /under the same web address went to/);
  for (const type of ['payment.failed', 'payment.canceled'] as const)
    t.deepEqual(substituted([pay('pye_known', noon - DAY, at), pay('pye_other', noon, { ...at, type })]), []);
});

test('substitution: bank accounts and merchant ids are compared too, and no account number is told in full', t => {
  const [bank] = substituted([pay('pye_iban', noon - DAY), pay('pye_iban_2', noon)]);
  t.regex(bank?.explanation ?? '', /for the DE account ending in 6199.* went to the DE account ending in 3000/);
  t.notRegex(`${bank?.title} ${bank?.explanation}`, /\d{6}/);
  const [merchant] = substituted([pay('pye_stripe', noon - DAY), pay('pye_stripe_2', noon)]);
  t.regex(merchant?.explanation ?? '', /Stripe account acct_2XX…XXXX.* Stripe account acct_1NQ…efgh/);
  const [ach] = substituted([pay('pye_ach', noon - DAY), pay('pye_ach_2', noon)]);
  t.regex(ach?.explanation ?? '', /for the ACH account ending in 4321.* went to the ACH account ending in 6789/);
  t.notRegex(`${ach?.title} ${ach?.explanation}`, /\d{6}/);
});

test('substitution: a bank account or a wallet may be given out in place of any other way to pay', t => {
  const from = (known: Payee, other: Payee, more = {}) =>
    substituted([pay(known, noon - DAY, more), pay(other, noon, more)])[0]?.explanation ?? '';
  t.regex(from('pye_iban', 'pye_ach'), /for the ACH account ending in 6789\. .* went to the DE account ending in 3000/);
  t.regex(from('pye_ach', 'pye_iban'), /for the DE account ending in 3000\. .* went to the ACH account ending in 6789/);
  t.regex(from('pye_iban', 'pye_known'), /for the wallet 0x1234…5678\. .* went to the DE account ending in 3000/);
  t.regex(from('pye_stripe', 'pye_iban'), /for the DE account ending in 3000\. .* went to the Stripe account acct_1NQ/);
  t.regex(from('pye_domain', 'pye_known'), /for the wallet 0x1234…5678\. .* went to [a-z.]+\.com \(first paid/);
  t.is(from('pye_domain', 'pye_known', { rail: 'x402' }), '', 'it says at its web address where payments go');
  t.regex(from('pye_iban', 'pye_pix'), /for the Pix account a…@acme\.example\.com\. /);
  const other = substituted([pay('pye_stripe', noon - DAY, { agent_id: 'agt_2' }), pay('pye_iban', noon)]);
  t.deepEqual(other, [], 'whom another agent pays in another way may be somebody else');
});

test('substitution: ways to pay do not add up to a shared name, nor do they teach that names are shared', t => {
  const known = (['pye_stripe', 'pye_domain', 'pye_iban', 'pye_ach'] as const).map((payee, index) =>
    pay(payee, noon - (9 - index) * DAY),
  );
  const [last] = substituted([...known, pay('pye_known', noon)]).slice(-1);
  t.is(last?.subject, 'pye_known');
  t.is((last?.explanation.match(/first paid on/g) ?? []).length, 4, 'all that was paid before is told');
  const networks = (['pye_known', 'pye_moved', 'pye_solana'] as const).map((payee, hour) =>
    pay(payee, noon - DAY + hour * HOUR),
  );
  t.is(substituted([...networks, pay('pye_iban', noon)]).at(-1)?.subject, 'pye_iban');
  const suppliers = ['acme', 'bolt', 'coil', 'dune'].flatMap((payee_name_key, index) =>
    known.map(step => ({ ...step, payee_name_key, at: step.at - index * HOUR })),
  );
  const swapped = substituted([...suppliers.toSorted((a, b) => a.at - b.at), pay('pye_iban_2', noon)]);
  t.is(swapped.at(-1)?.subject, 'pye_iban_2');
});

test('substitution: an account that only other agents have paid says so, and a merchant’s is no news then', t => {
  const byTwo = (known: Payee, other: Payee) =>
    substituted([pay(known, noon - DAY, { agent_id: 'agt_2' }), pay(other, noon)]);
  t.regex(
    byTwo('pye_iban', 'pye_iban_2')[0]?.explanation ?? '',
    /first paid on 2026-11-19\), all from other agents\. An/,
  );
  t.notRegex(substituted([pay('pye_iban', noon - DAY), pay('pye_iban_2', noon)])[0]?.explanation ?? '', /other agents/);
  t.deepEqual(byTwo('pye_stripe', 'pye_stripe_2'), []);
  t.is(substituted([pay('pye_stripe', noon - DAY), pay('pye_stripe_2', noon)])[0]?.severity, 'medium');
  const [late] = substituted([pay('pye_iban', noon), pay('pye_iban_2', noon - DAY)]);
  t.regex(late?.explanation ?? '', /\. Other payments under the same name went to the DE account/);
});

test('substitution: texts that name no account are no other accounts', t => {
  t.deepEqual(substituted([pay('pye_text', noon - DAY), pay('pye_text_2', noon)]), []);
  t.deepEqual(substituted([pay('pye_stripe', noon - DAY), pay('pye_text_2', noon)]), []);
});

test('substitution: the same wallet on another network is none, nor is a web address or an account at a payment service in place of another kind', t => {
  const after = (payee: Payee) => substituted([pay('pye_known', noon - DAY), pay(payee, noon)]);
  for (const payee of ['pye_moved', 'pye_stripe', 'pye_domain'] as const) t.deepEqual(after(payee), [], payee);
  t.deepEqual(substituted([pay('pye_stripe', noon - DAY), pay('pye_adyen', noon)]), []);
  for (const payee of ['pye_stripe', 'pye_domain'] as const)
    t.deepEqual(substituted([pay('pye_iban', noon - DAY), pay(payee, noon)]), [], payee);
  // The known wallet moves to another network after somebody else was paid under its name.
  const steps = [pay('pye_known', noon - DAY), pay('pye_other', noon), pay('pye_moved', noon + HOUR)];
  t.deepEqual(
    substituted(steps).map(({ subject }) => subject),
    ['pye_other'],
  );
});

test('substitution: a name that three accounts were paid under is shared, and one more is no news', t => {
  const steps = (['pye_known', 'pye_other', 'pye_third', 'pye_fourth'] as const).map((payee, index) =>
    pay(payee, noon + index * HOUR),
  );
  t.deepEqual(
    substituted(steps).map(({ subject }) => subject),
    ['pye_other', 'pye_third'],
  );
  t.deepEqual(
    substituted(steps, { most_namesakes: 1 }).map(({ subject }) => subject),
    ['pye_other'],
  );
});

test('substitution: where payees have an address for each payment, only an account that has long been known is told to be replaced', t => {
  const wallet = (n: number) => `eip155:8453:0x${n.toString(16).padStart(40, '0')}`;
  const all: Record<string, string> = {};
  const paid = (payee: number, name: string, at: number) => {
    all[`pye_${payee}`] = wallet(payee * 7_919);
    return { payee_id: `pye_${payee}`, payee_name_key: name, at };
  };
  const shops = [1, 2, 3, 4].flatMap(shop =>
    [0, 1, 2, 3].map(n => paid(10 * shop + n, `shop ${shop}`, noon + shop * DAY + n * HOUR)),
  );
  const supplier = [paid(90, 'supplier', noon), paid(91, 'supplier', noon + 8 * DAY)];
  t.deepEqual(
    play([...shops, ...supplier], 'payee_substitution', { keys: all }).map(({ subject }) => subject),
    ['pye_11', 'pye_12', 'pye_21', 'pye_22', 'pye_31', 'pye_32', 'pye_91'],
  );
});

test('substitution: among people of whom many share a name, only one who was paid again is told to be replaced', t => {
  const banks: Record<string, string> = {};
  const paid = (payee: number, name: string, days: number) => {
    banks[`pye_${payee}`] = `account:ach:021000021-${String(payee).padStart(8, '0')}`;
    return { payee_id: `pye_${payee}`, payee_name_key: name, at: noon + days * DAY };
  };
  const namesakes = [1, 2, 3].flatMap(name => [0, 1, 2].map(n => paid(10 * name + n, `name ${name}`, n)));
  const rest = [paid(81, 'customer', 3), paid(91, 'employee', 3), paid(91, 'employee', 33)];
  const moved = [paid(82, 'customer', 40), paid(92, 'employee', 40)];
  const told = play([...namesakes, ...rest, ...moved], 'payee_substitution', { keys: banks, type: 'individual' });
  t.deepEqual(
    told.map(({ subject }) => subject).filter(subject => Number(subject.slice('pye_'.length)) > 80),
    ['pye_92'],
  );
  const pairs = [1, 2, 3, 4, 5].flatMap(name => [
    paid(10 * name, `name ${name}`, name),
    paid(10 * name + 1, `name ${name}`, name + 0.5),
  ]);
  t.deepEqual(
    play(pairs, 'payee_substitution', { keys: banks, type: 'individual' }).map(({ subject }) => subject),
    ['pye_11', 'pye_21', 'pye_31'],
    'three namesakes of whom none was paid again are enough to know',
  );
});

test('substitution: a payee that was paid only in vain is not known', t => {
  t.deepEqual(substituted([pay('pye_known', noon - DAY, { type: 'payment.failed' }), pay('pye_other', noon)]), []);
});

const alike = (steps: EventStep[]) => play(steps, 'lookalike_wallet', { keys });

test('look-alike: a new wallet that begins and ends like a known one raises an alert with both addresses', t => {
  const [finding, ...more] = alike([
    pay('pye_known', noon - DAY),
    pay('pye_alike', noon, { type: 'payment.requested', payee_name_key: null }),
    pay('pye_other', noon),
  ]);
  t.deepEqual(more, []);
  const title = 'A new wallet looks like one that was paid before';
  t.like(finding, { score: 95, subject: 'pye_alike', seqs: [2], title });
  for (const key of [keys.pye_known, keys.pye_alike])
    t.true(finding?.explanation.includes(key.slice('eip155:8453:'.length)), finding?.explanation);
  t.regex(finding?.explanation ?? '', /first paid on 2026-11-19/);
});

test('look-alike: the same address on another network, or one that was paid itself, is none', t => {
  t.deepEqual(alike([pay('pye_known', noon - DAY), pay('pye_moved', noon)]), []);
  const paidOnce = [pay('pye_known', noon - DAY), pay('pye_alike', noon)];
  t.is(alike([...paidOnce, pay('pye_alike', noon + HOUR), pay('pye_known', noon + HOUR)]).length, 1);
  t.deepEqual(alike([pay('pye_known', noon - DAY), pay('pye_alike', noon, { type: 'payment.failed' })]), []);
});
