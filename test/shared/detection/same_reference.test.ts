import test, { type ExecutionContext } from 'ava';
import { DAY } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const start = Date.now() - 60 * DAY;
let cents = 20_000;

type Said = { description?: string; metadata?: object };

const pay = (
  agent: string,
  days: number,
  said: Said,
  more: { cents?: number; payee?: string; id?: string; type?: string } = {},
) =>
  event({
    agent,
    at: start + days * DAY,
    cents: String(more.cents ?? 90_000),
    payee: `domain:${more.payee ?? 'supplier'}.example.com`,
    ...(more.id && { payment_id: more.id }),
    ...(more.type && { type: more.type }),
    more: said,
  });

/** Payments of an agent to others, each of another sum, that say what `said` makes of a number. */
const others = (agent: string, said: (number: number) => Said, count = 5) =>
  Array.from({ length: count }, (_, at) =>
    pay(agent, at / 10, said(71_000 + 13 * at), { cents: (cents += 700), payee: `other-${at}` }),
  );

/** The titles and explanations of the alerts on duplicates among these events, of which `limit` are analyzed at a time. */
async function toldOf(t: ExecutionContext, events: object[], limit: number): Promise<string[]> {
  const { as, analyze } = await world(t);
  const { body } = await as.post('/v1/events', { events });
  t.is(body.accepted, events.length, JSON.stringify(body.results));
  await analyze({ limit });
  const { data } = (await as.get('/v1/alerts?detector=duplicate_payment')).body;
  return data.map((alert: { title: string; explanation: string }) => `${alert.title}. ${alert.explanation}`);
}

test('what is paid again days later for one reference is told, wherever it says so, and however the log is cut', async t => {
  const under = (name: string) => (number: number) => ({ metadata: { [name]: `REQ45${number}`, env: 'prod' } });
  const inText = (number: number) => ({ description: `Syringes REQ45${number}` });
  const events = [
    ...['ext_ref', 'beleg', 'reference'].flatMap(name => [
      ...others(name, under(name)),
      pay(name, 10, under(name)(88_213), { id: `${name} first` }),
      pay(name, 13, under(name)(88_213), { id: `${name} second` }),
    ]),
    ...others('text', number => ({ description: `Bandages REQ45${number}` })),
    pay('text', 10, inText(88_213), { id: 'text first' }),
    pay('text', 10.5, inText(88_213), { id: 'text second' }),
  ];
  for (const limit of [1, 2, 7, 14, 1_000]) {
    const told = await toldOf(t, events, limit);
    t.is(told.length, 4);
    for (const name of ['ext_ref', 'beleg', 'reference', 'text'])
      t.true(
        told.some(text =>
          new RegExp(
            `Paid .* \\$900.00 twice for one reference.*${name} first and ${name} second.*give the same reference, REQ4588213\\. Of the agent's 5 other references like it, no two are the same\\.`,
          ).test(text),
        ),
        `${name}: ${told.join('\n')}`,
      );
  }
});

test('the number of a document is known by its name in the languages of integrators, however it is written', async t => {
  const numbers: Record<string, (number: number) => string> = {
    order_id: number => `RE2026/0${number % 1_000}`,
    purchaseOrderNo: String,
    n_commande: number => `K${number}Q`,
    référence: number => `QX${number % 1_000}KR${number % 10}B`,
    numer_zamowienia: number => `ZAM-${number}`,
    factuurnummer: String,
    fatura_no: number => `A7KX${number}`,
    請求書番号: String,
    订单号: String,
    our_nota_fiscal: String,
    invoice_id: number => `INV/2025-2026/${number}`,
  };
  const events = Object.entries(numbers).flatMap(([name, written]) => {
    const said = (number: number): Said => ({ metadata: { [name]: written(number) } });
    return [...others(name, said), pay(name, 10, said(88_213)), pay(name, 13, said(88_213))];
  });
  const told = await toldOf(t, events, 1_000);
  t.is(told.length, Object.keys(numbers).length, told.join('\n'));
});

test('words, times, codes that many use, and the numbers of people and companies are no numbers of documents', async t => {
  const lines: [string, string, string[]][] = [
    ['reference', 'Piano lesson 45 min', ['Massage 90 min', 'Lunch for 25', 'Room 204', 'Desk 17 to 19']],
    ['reference', 'PHASE2', ['Level3', 'Phase1', 'Stage4', 'Sprint12']],
    ['order', '500CREDITS', ['200CREDITS', '300CREDITS', '400CREDITS', '700CREDITS']],
    ['order', '12X500ML', ['6X500ML', '12X330ML', '24X330ML', '6X750ML']],
    ['reference', 'AB12CDE', ['AC13CDF', 'AD14CDG', 'AE15CDH', 'AF16CDI']],
    ['reference', '30.11.25', ['71013', '71026', '71039', '71052']],
    ['reference', 'FY2025Q4', ['71013', '71026', '71039', '71052']],
    ['reference', '123.456.789-09', ['123.456.789-10', '123.456.789-11', '123.456.789-12', '123.456.789-13']],
    ['voucher', 'SUMMER25', ['SPRING25', 'WINTER24', 'AUTUMN24', 'WELCOME10']],
    ['ref', '2026-11-01/2026-11-15', ['71013', '71026', '71039', '71052']],
    ['ref', '24 Nov 2026', ['71013', '71026', '71039', '71052']],
    ['ref', '11/24/2026', ['71013', '71026', '71039', '71052']],
    ['fiscal_number', 'PT501234567', ['PT501234568', 'PT501234569', 'PT501234570', 'PT501234571']],
    ['numero_documento', 'DNI 30123456', ['DNI 30123457', 'DNI 30123458', 'DNI 30123459', 'DNI 30123460']],
  ];
  const events = lines.flatMap(([name, value, others], at) => {
    const said = (text: string): Said => ({ metadata: { [name]: text } });
    const before = others.map((other, day) =>
      pay(`${at}`, day, said(other), { cents: (cents += 700), payee: other.replace(/\W/g, '') }),
    );
    return [...before, pay(`${at}`, 10, said(value)), pay(`${at}`, 13, said(value))];
  });
  t.deepEqual(await toldOf(t, events, 1_000), []);
});

test('what is paid again about a day or a week later is told where so many other references are all different', async t => {
  const ref = (number: number | string): Said => ({ metadata: { ext_ref: `REQ45${number}` } });
  const again = (agent: string, count: number, days: number) => [
    ...others(agent, ref, count),
    pay(agent, 10, ref(88_213)),
    pay(agent, 10 + days, ref(88_213)),
  ];
  t.is((await toldOf(t, [...again('day', 12, 1.05), ...again('week', 12, 7)], 1_000)).length, 2);
  const repeated = [...others('repeated', ref, 19), ...others('repeated', ref, 1), ...again('repeated', 1, 7).slice(1)];
  t.deepEqual(await toldOf(t, [...again('few', 11, 7), ...repeated], 1_000), []);
});

test('references that come back, or say too little, make no duplicate', async t => {
  const ref = (number: number | string): Said => ({ metadata: { ext_ref: `REQ45${number}` } });
  const twice = (agent: string, said: Said, [first, second]: [number, number], more: object = {}) => [
    pay(agent, first, said, more),
    pay(agent, second, said, more),
  ];
  const quiet: Record<string, object[]> = {
    'the numbers of contracts come back': [
      ...others('standing', ref),
      ...others('standing', ref).slice(0, 1),
      ...twice('standing', ref(88_213), [10, 13]),
    ],
    'a third payment gives it': [
      ...others('third', ref),
      pay('third', 5, ref(88_213), { cents: 12_345 }),
      ...twice('third', ref(88_213), [10, 13]),
    ],
    'little is known': [...others('little', ref, 3), ...twice('little', ref(88_213), [10, 13])],
    weekly: [...others('weekly', ref), ...twice('weekly', ref(88_213), [10, 16])],
    'once a day': [...others('daily', ref), ...twice('daily', ref(88_213), [10, 11.05])],
    'once a month': [...others('monthly', ref), ...twice('monthly', ref(88_213), [10, 40])],
    cents: [...others('cents', ref), ...twice('cents', ref(88_213), [10, 13], { cents: 900 })],
    'a member that names no document': [
      ...others('named', number => ({ metadata: { claim_no: `REQ45${number}` } })),
      ...twice('named', { metadata: { claim_no: 'REQ4588213' } }, [10, 13]),
    ],
    'a number without letters in a description': [
      ...others('bare', number => ({ description: `Copier lease 45${number}` })),
      ...twice('bare', { description: 'Copier lease 4588213' }, [10, 13]),
    ],
    'other words': [
      ...others('words', ref),
      pay('words', 10, { ...ref(88_213), description: 'Electrical inspection' }),
      pay('words', 13, { ...ref(88_213), description: 'Plumbing inspection' }),
    ],
    'a day after letters': [
      ...others('day', number => ({ metadata: { voucher: `RUN45${number}` } })),
      ...twice('day', { metadata: { voucher: 'RUN20261013' } }, [10, 10.2]),
    ],
    'a week of a year': [
      ...others('calendar', number => ({ metadata: { ref: String(number) } })),
      ...twice('calendar', { metadata: { ref: 'PAY-KW45/2026' } }, [10, 13]),
    ],
    'a quarter': [...others('quarter', ref), ...twice('quarter', { metadata: { reference: '2026-Q4' } }, [10, 13])],
    'semi-monthly': [...others('semi', ref), ...twice('semi', ref(88_213), [10, 25])],
    'minutes apart, for another': [
      ...others('soon', ref),
      pay('soon', 10, { metadata: { ext_ref: 'REQ4588213', order_no: 'C-23' } }),
      pay('soon', 10.003, { metadata: { ext_ref: 'REQ4588213', order_no: 'C-24' } }),
    ],
    'another part': [
      ...others('part', ref),
      pay('part', 10, { metadata: { ext_ref: 'REQ4588213', part: '1' } }),
      pay('part', 13, { metadata: { ext_ref: 'REQ4588213', part: '2' } }),
    ],
    'a balance in metadata': [
      ...others('stage', ref),
      pay('stage', 10, { metadata: { ext_ref: 'REQ4588213' } }),
      pay('stage', 13, { metadata: { ext_ref: 'REQ4588213', stage: 'balance' } }),
    ],
    'a date': [
      ...others('date', number => ({ metadata: { beleg: String(number) } })),
      ...twice('date', { metadata: { beleg: '20261120' } }, [10, 13]),
    ],
    'another order differs': [
      ...others('differs', ref),
      pay('differs', 10, { metadata: { ext_ref: 'REQ4588213', order_no: 'C-23' } }),
      pay('differs', 14, { metadata: { ext_ref: 'REQ4588213', order_no: 'C-24' } }),
    ],
    'the first is a deposit': [
      ...others('deposit', ref),
      pay('deposit', 10, { ...ref(88_213), description: 'Deposit 50%' }),
      pay('deposit', 13, ref(88_213)),
    ],
    'the second is the balance': [
      ...others('balance', ref),
      pay('balance', 10, ref(88_213)),
      pay('balance', 13, { ...ref(88_213), description: 'Balance' }),
    ],
    'an authorization ran out': [
      ...others('held', ref),
      pay('held', 10, ref(88_213), { type: 'payment.authorized' }),
      pay('held', 13, ref(88_213), { type: 'payment.authorized' }),
    ],
    'it gets the same often': [
      ...others('often', ref),
      ...Array.from({ length: 9 }, (_, at) => pay('often', 8 + at / 5, ref(50_000 + at))),
      ...twice('often', ref(88_213), [10, 13]),
    ],
  };
  for (const [what, events] of Object.entries(quiet)) t.deepEqual(await toldOf(t, events, 1_000), [], what);
});

test('what is paid for one reference again and again is how it is paid: told the second time, and no more', async t => {
  const ref = { metadata: { ext_ref: 'REQ4588213' } };
  const events = [
    ...others('again', number => ({ metadata: { ext_ref: `REQ45${number}` } })),
    ...[2, 5, 16, 19].map(day => pay('again', day, ref, { id: `day ${day}` })),
  ];
  const [told = '', ...more] = await toldOf(t, events, 1);
  t.deepEqual(more, []);
  t.regex(told, /Two payments of .* \(day 2 and day 5\), 3 d apart/);
});

test('most references of an agent differ where one in twenty comes back', async t => {
  const ref = (number: number | string): Said => ({ metadata: { ext_ref: `REQ45${number}` } });
  const again = others('many', ref, 1);
  const events = [...others('many', ref, 20), ...again, pay('many', 10, ref(88_213)), pay('many', 13, ref(88_213))];
  const [told = ''] = await toldOf(t, events, 1_000);
  t.regex(told, /Of the agent's 21 other references like it, 20 are different\./);
});

test('what was given back, or held under another id, is no third payment for the reference', async t => {
  const ref = { metadata: { ext_ref: 'REQ4588213' } };
  const likes = (agent: string) => others(agent, number => ({ metadata: { ext_ref: `REQ45${number}` } }));
  const events = [
    ...likes('refunded'),
    pay('refunded', 8, ref, { id: 'given back' }),
    pay('refunded', 8.5, ref, { id: 'given back', type: 'payment.refunded' }),
    pay('refunded', 10, ref),
    pay('refunded', 13, ref),
    ...likes('held'),
    pay('held', 9, ref, { type: 'payment.authorized' }),
    pay('held', 10, ref),
    pay('held', 13, ref),
  ];
  for (const limit of [1, 1_000]) t.is((await toldOf(t, events, limit)).length, 2);
});

test('what was held first is compared by when it was held, and told once both have settled, however the log is cut', async t => {
  const ref = { metadata: { ext_ref: 'REQ4588213' } };
  const card = (agent: string, id: string, held: number, settled: number) =>
    (['authorized', 'settled'] as const).map(status =>
      pay(agent, status === 'settled' ? settled : held, ref, { id: `${agent} ${id}`, type: `payment.${status}` }),
    );
  const sent = (agent: string, settled: [number, number]) => [
    ...others(agent, number => ({ metadata: { ext_ref: `REQ45${number}` } })),
    ...[...card(agent, 'A', 10, settled[0]), ...card(agent, 'B', 13, settled[1])].toSorted((a, b) =>
      String(a['occurred_at']).localeCompare(String(b['occurred_at'])),
    ),
  ];
  const events = [
    ...sent('a day apart', [12, 13.1]),
    ...sent('a week apart', [12, 19]),
    ...sent('both held', [14, 15]),
    ...sent('the second settled first', [15, 14]),
  ];
  for (const limit of [1, 3, 1_000]) {
    const told = await toldOf(t, events, limit);
    t.is(told.length, 4, told.join('\n'));
    for (const text of told) t.regex(text, /(.+) A and \1 B\), 3 d apart/);
  }
});

test('words that only contain those for parts are none', async t => {
  const said = (text: string) => (number: number) => ({ description: text, metadata: { ext_ref: `REQ45${number}` } });
  for (const text of ['Soldering iron', 'First aid kits', 'Finalist badges'])
    t.is(
      (
        await toldOf(
          t,
          [...others(text, said('Bandages')), pay(text, 10, said(text)(88_213)), pay(text, 13, said(text)(88_213))],
          1_000,
        )
      ).length,
      1,
      text,
    );
});
