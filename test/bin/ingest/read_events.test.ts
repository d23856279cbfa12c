import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { decodeTime } from 'ulid';
import { type Mapping, parseMapping } from '#bin/admin/ingest/mapping.ts';
import { openInput } from '#bin/admin/ingest/open_input.ts';
import { type Item, readEvents } from '#bin/admin/ingest/read_events.ts';

type Options = { mapping?: Mapping; skip?: number; skips_made_ids?: boolean; piece?: number };

/** The events of an input that comes in pieces of so many bytes, and what it broke off with. */
async function read(input: string | Buffer, options: Options = {}): Promise<{ items: Item[]; broke: string | null }> {
  const { mapping, skip = 0, skips_made_ids = false, piece = 7 } = options;
  const bytes = Buffer.from(input);
  function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const items: Item[] = [];
  try {
    const stdin = Readable.from(pieces());
    const opened = await openInput('-', stdin, 0, new AbortController().signal, () => {});
    for await (const some of readEvents(opened, { file: 0, mapping, skip, skips_made_ids })) items.push(...some);
    return { items, broke: null };
  } catch (error) {
    return { items, broke: error instanceof Error ? error.message : '' };
  }
}

const numbersOf = (items: readonly Item[]) => items.map(({ json }) => (JSON.parse(json) as { n: number }).n);
const texts = [1, 2, 3].map(n => `{"id":"evt_${n}","n":${n},"s":"a]}\\"{[,"}`);

test('events are read from every form of JSON, at whatever bytes the pieces of it end', async t => {
  const forms: Record<string, string> = {
    lines: texts.join('\n'),
    'lines that end, some of them blank, as Windows writes them': `\n${texts.join('\r\n\r\n')}\r\n`,
    array: `[${texts.join(',')}]`,
    'array over lines': JSON.stringify(
      texts.map(text => JSON.parse(text)),
      null,
      2,
    ),
    'a batch as the API takes it': `{ "events": [${texts.join(', ')}]}\n`,
    'objects over lines': texts.map(text => JSON.stringify(JSON.parse(text), null, 2)).join('\n'),
    'with a byte order mark': `\uFEFF${texts.join('\n')}`,
    'an array with a byte order mark': `\uFEFF [${texts.join(',')}]`,
  };
  for (const [form, text] of Object.entries(forms))
    for (const piece of [1, 7, 100_000]) {
      const { items, broke } = await read(text, { piece });
      t.is(broke, null, form);
      t.deepEqual(numbersOf(items), [1, 2, 3], form);
      t.deepEqual(
        items.map(({ number }) => number),
        [1, 2, 3],
      );
    }
});

test('compression is known by the bytes, and files that were put together of several are read to the end', async t => {
  for (const compress of [gzipSync, zstdCompressSync]) {
    const parts = texts.map(text => compress(`${text}\n`));
    for (const piece of [1, 9, 100_000])
      t.deepEqual(numbersOf((await read(Buffer.concat(parts), { piece })).items), [1, 2, 3]);
  }
});

test('compressed data that breaks off or is damaged gives what it holds, and says so', async t => {
  const many = Array.from({ length: 20_000 }, (_, n) => `{"id":"evt_${n}","n":${n}}`).join('\n');
  for (const compress of [gzipSync, zstdCompressSync]) {
    const whole = compress(many);
    const { items, broke } = await read(whole.subarray(0, whole.length - 9), { piece: 1_000 });
    t.regex(broke ?? '', /breaks off: the compressed data is not complete/);
    const sound = items.filter(({ refused }) => !refused);
    t.true(sound.length > 5_000, `${sound.length}`);
    t.deepEqual(
      numbersOf(sound),
      sound.map((_, index) => index),
    );
  }
});

test('JSON that breaks off gives the events before the break', async t => {
  for (const [text, reason] of [
    [`[${texts[0]},${texts[1]}`, /array is not closed/],
    [`[${texts[0]},${texts[1]},{"id":`, /breaks off inside the value that begins in line 1/],
    [`{\n"id":"evt_1","n":1}\n{\n"id":"evt_2","n":2}\n{"n":`, /begins in line 5/],
  ] as const) {
    const { items, broke } = await read(text);
    t.deepEqual(numbersOf(items), [1, 2]);
    t.regex(broke ?? '', reason);
  }
});

test('what is no event is refused with its line, and the rest goes on', async t => {
  const lines = [texts[0], '{"id":', '[1]', '7', '{"id":"a"} {"id":"b"}', texts[1]].join('\n');
  const bytes = Buffer.concat([
    Buffer.from(`${lines}\n`),
    Buffer.from([0x22, 0xff, 0x22, 0x0a]),
    Buffer.from(`${texts[2]}`),
  ]);
  const { items, broke } = await read(bytes);
  t.is(broke, null);
  t.deepEqual(
    items.map(({ line, refused }) => [line, refused?.code ?? null]),
    [
      [1, null],
      [2, 'malformed_json'],
      [3, 'invalid_type'],
      [4, 'invalid_type'],
      [5, 'malformed_json'],
      [6, null],
      [7, 'invalid_encoding'],
      [8, null],
    ],
  );
  const array = await read(`[${texts[0]}, 7, "x", [1], {"id" 3}, null,\n${texts[1]}]`);
  t.deepEqual(
    array.items.map(({ line, refused }) => [line, refused?.code ?? null]),
    [
      [1, null],
      [1, 'invalid_type'],
      [1, 'invalid_type'],
      [1, 'invalid_type'],
      [1, 'malformed_json'],
      [1, 'invalid_type'],
      [2, null],
    ],
  );
});

test('a line that could not be sent does not fill the memory, and the next one is read', async t => {
  const { items } = await read(`${texts[0]}\n{"id":"${'x'.repeat(3_000_000)}"}\n${texts[1]}`, { piece: 60_000 });
  t.deepEqual(
    items.map(({ refused }) => refused?.code ?? null),
    [null, 'payload_too_large', null],
  );
  t.true(JSON.stringify(items[1]?.source).length < 2_000);
});

test('the text of an event is sent as it is', async t => {
  const text = '{"id":"evt_1","n":1.10,"n":12345678901234567890,"s":"\\u00e9"}';
  t.is((await read(text)).items[0]?.json, text);
});

test('events without an id are given one that is the same whenever the file is read, and of their own where two are alike', async t => {
  const at = '"occurred_at":"2026-11-20T10:15:30.000Z"';
  const lines = [`{${at},"n":1}`, `{${at},"n":2}`, `{ "n": 1, ${at} }`, '{}', `{${at},"n":1}`];
  const first = await read(lines.join('\n'));
  const ids = first.items.map(({ json }) => (JSON.parse(json) as { id: string }).id);
  t.true(ids.every(id => /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)));
  t.is(new Set(ids).size, 5);
  t.is(decodeTime(ids[0]?.slice(4) ?? ''), Date.parse('2026-11-20T10:15:30.000Z'));
  // However it is laid out, and wherever it stands.
  const moved = await read(`[${[lines[3], lines[1], lines[0]].join(',\n')}]`);
  t.deepEqual(
    moved.items.map(({ json }) => (JSON.parse(json) as { id: string }).id),
    [ids[3], ids[1], ids[0]],
  );
  // A resumed run counts the repetitions that it leaves out.
  const rest = await read(lines.join('\n'), { skip: 2, skips_made_ids: true });
  t.deepEqual(
    rest.items.map(({ json }) => (JSON.parse(json) as { id: string }).id),
    ids.slice(2),
  );
});

test('what cannot be told is said', async t => {
  t.regex((await read('hello world\n')).broke ?? '', /begins with neither \[ nor \{.*--map/);
  t.regex((await read(Buffer.from(texts.join('\n'), 'utf16le'))).broke ?? '', /zero bytes/);
  t.regex((await read(texts.join('\n'), { mapping: {} })).broke ?? '', /--map is for CSV/);
  t.deepEqual(await read(''), { items: [], broke: null });
});

const mapping = parseMapping(
  JSON.stringify({
    type: { column: 'state', values: { PAID: 'payment.settled', REFUNDED: 'payment.refunded' } },
    occurred_at: { text: '{when}Z' },
    'agent.external_id': 'agent',
    'payment.payment_id': 'order',
    'payment.amount.value': { column: 'amount', as: 'decimal' },
    'payment.amount.unit': { value: 'minor' },
    'payment.amount.currency': 'currency',
    'payment.payee.key': { text: 'merchant:shop:{merchant}' },
    'context.attempt': 'attempt',
    'context.human_present': { value: false },
  }),
  'map.json',
);
const header = 'state,when,agent,order,amount,currency,merchant,attempt';

test('rows of a CSV file become events as the mapping says', async t => {
  const { items, broke } = await read(`${header}\r\nPAID,2026-11-20 10:15:30,"a ""b"", c",7,12.30,USD,m1,2\r\n`, {
    mapping,
  });
  t.is(broke, null);
  const { id, ...event } = JSON.parse(items[0]?.json ?? '{}') as { id: string };
  t.is(decodeTime(id.slice(4)), Date.parse('2026-11-20T10:15:30Z'));
  t.deepEqual(event as object, {
    type: 'payment.settled',
    occurred_at: '2026-11-20T10:15:30Z',
    agent: { external_id: 'a "b", c' },
    payment: {
      payment_id: '7',
      amount: { value: '1230', unit: 'minor', currency: 'USD' },
      payee: { key: 'merchant:shop:m1' },
    },
    context: { attempt: 2, human_present: false },
  });
  t.is(items[0]?.agent, 'a "b", c');
});

test('decimal amounts become whole minor units of their currency, exactly or not at all', async t => {
  for (const [amount, currency, value] of [
    ['0.1', 'USD', '10'],
    ['90071992547409931.27', 'EUR', '9007199254740993127'],
    ['12.300', 'USD', '1230'],
    ['500', 'JPY', '500'],
    ['1.5', 'KWD', '1500'],
    ['0', 'USD', '0'],
    ['12.345', 'USD', null],
    ['1.5', 'JPY', null],
    ['-3', 'USD', null],
    ['1,5', 'USD', null],
    ['1e3', 'USD', null],
    ['5', 'XXX', null],
  ] as const) {
    const { items } = await read(`${header}\nPAID,2026-11-20 10:15:30,a,7,"${amount}",${currency},m,1`, { mapping });
    if (value === null) t.is(items[0]?.refused?.details?.[0]?.path, '/payment/amount/value', amount);
    else
      t.is(
        (JSON.parse(items[0]?.json ?? '{}') as { payment: { amount: { value: string } } }).payment.amount.value,
        value,
      );
  }
});

test('a row that is not sound is refused with its line, and takes no other with it', async t => {
  const rows = [
    'PAID,2026-11-20 10:15:30,a,1,1,USD,m,1',
    'PAID,x,"a\nb",2,1,USD,m,1',
    'PAID,"a"b',
    'too,short',
    'OPEN,x,a,3,1,USD,m,1',
    '"',
  ];
  const { items } = await read(`${header}\n${[...rows, rows[0]].join('\n')}\n`, { mapping });
  t.deepEqual(
    items.map(({ line, refused }) => [line, refused?.code ?? null]),
    [
      [2, null],
      [3, null],
      [5, 'malformed_csv'],
      [6, 'malformed_csv'],
      [7, 'invalid_request'],
      [8, 'malformed_csv'],
      [9, null],
    ],
  );
});

test('without a mapping the columns that are named like places are those, with semicolons and tabs, too', async t => {
  for (const delimiter of [',', ';', '\t']) {
    const rows = [
      ['id', 'agent.external_id', 'note'],
      ['evt_1', 'a', 'x'],
    ].map(cells => cells.join(delimiter));
    const { items } = await read(rows.join('\n'));
    t.deepEqual(JSON.parse(items[0]?.json ?? '{}'), { id: 'evt_1', agent: { external_id: 'a' } });
  }
});

test('a mapping that is not sound is refused with its place', async t => {
  const place = (text: string) => t.throws(() => parseMapping(text, 'map.json'))?.message ?? '';
  t.regex(place('{'), /not JSON/);
  t.regex(place('{"type":{"colum":"x"}}'), /at \/type/);
  t.regex(
    (await read(`${header}\n`, { mapping: { 'payment.amout': 'amount' } })).broke ?? '',
    /payment\.amout is no place/,
  );
  t.regex((await read(`${header}\n`, { mapping: { evidence: 'amount' } })).broke ?? '', /evidence is no place/);
  t.regex(
    (await read(`${header}\n`, { mapping: { type: 'kind' } })).broke ?? '',
    /the column kind, which there is not/,
  );
});
