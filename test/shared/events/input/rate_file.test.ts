import { deflateRawSync, crc32 } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { readRateFile } from '#shared/events/input/rate_file.ts';
import { referenceRates } from '#shared/events/input/reference_rates.ts';

const read = (text: string) => readRateFile(Buffer.from(text));
const rates = async (text: string | Buffer) =>
  (await readRateFile(Buffer.from(text))).map(
    ({ date, currency, usd_per_unit }) => `${date} ${currency} ${usd_per_unit}`,
  );

const xml = (days: string) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject><Cube>${days}</Cube></gesmes:Envelope>`;

/** A ZIP archive of files, as APPNOTE 4.3 has it. */
function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const head = Buffer.alloc(30);
    head.write('PK\u0003\u0004', 'latin1');
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.write('PK\u0001\u0002', 'latin1');
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(crc32(text), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(Buffer.byteLength(text), 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(Buffer.concat(parts).length, 42);
    parts.push(head, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(Buffer.concat(parts).length, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const history = 'Date,USD,JPY,CYP,BGN,\n2026-04-13,1.1684,186.75,0.58,N/A,\n2026-04-10,1.1711,186.43,N/A,N/A,\n';

test('the European Central Bank’s rates of the euro become rates in dollars, to fifteen places', async t => {
  const day = xml(`<Cube time='2026-04-13'><Cube currency='USD' rate='1.1684'/><Cube currency='JPY' rate='186.75'/>
    <Cube currency='KRW' rate='1740.86'/></Cube>`);
  // 1.1684 / 186.75 = 0.0062564926372155…, 1.1684 / 1740.86 = 0.00067116252886504…
  const expected = ['2026-04-13 EUR 1.1684', '2026-04-13 JPY 0.006256492637216', '2026-04-13 KRW 0.000671162528865'];
  t.deepEqual(await rates(day), expected);
  t.deepEqual(await rates('Date, USD, JPY, KRW, \n13 April 2026, 1.1684, 186.75, 1740.86, \n'), expected);
});

test('a file of many days is read whole, packed too; what has no rate, and money that is no more, is left out', async t => {
  const expected = [
    '2026-04-13 EUR 1.1684',
    '2026-04-13 JPY 0.006256492637216',
    '2026-04-10 EUR 1.1711',
    '2026-04-10 JPY 0.006281714316365',
  ];
  t.deepEqual(await rates(history), expected);
  t.deepEqual(await rates(zip({ 'eurofxref-hist.csv': history })), expected);
});

test('a day without the dollar says nothing', async t => {
  const days = xml(`<Cube time="2026-04-14"><Cube currency="JPY" rate="186"/></Cube>
    <Cube time="2026-04-13"><Cube currency="USD" rate="1.2"/><Cube currency="GBP" rate="0"/><Cube currency="SEK" rate="1e3"/></Cube>`);
  t.deepEqual(await rates(days), ['2026-04-13 EUR 1.2']);
});

test('our own table is read with its comments; a row that does not fit refuses all', async t => {
  t.deepEqual(await rates('# ours\ndate,currency,usd_per_unit\n2026-11-20,EUR,1.16\n2026-11-20,EUR,1.17\n'), [
    '2026-11-20 EUR 1.17',
  ]);
  for (const [text, message] of [
    ['date,currency,usd_per_unit\n2026-11-20,EUR,1.16\n2026-11-20,EUX,1\n', /^Line 3: currency must be/],
    ['date,currency,usd_per_unit\n2026-11-20,EUR,0.0\n', /^Line 2: usd_per_unit must be a decimal number above zero/],
    ['date,currency,usd_per_unit\n2026-11-20,EUR\n', /^Line 2: it has 2 values, the first row 3/],
    ['', /holds no rates/],
    [xml(''), /holds no rates/],
    ['<Cube', /not well-formed XML/],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a/>', /DOCTYPE/],
  ] as const)
    await t.throwsAsync(read(text), { message }, text);
  for (const damaged of [zip({ a: history, b: history }), zip({ a: history }).subarray(0, 90), Buffer.from('PK')])
    await t.throwsAsync(readRateFile(damaged), { message: /ZIP archive that is damaged/ });
});

test('a rate of the bank’s that cannot be one, or of a day that is none, is left out', async t => {
  const days =
    'Date,USD,JPY,KRW,\n2026-02-30,1.2,186,1740,\n2026-02-27,1.2,0.000000000001,1740,\n2026-02-26,9999999999999,1,2,\n';
  t.deepEqual(await rates(days), ['2026-02-27 EUR 1.2', '2026-02-27 KRW 0.000689655172414']);
});

test('a file that is too large, or of something else, is refused before it is read through', async t => {
  const many = `Date,USD\n${'2026-11-20,1\n'.repeat(500_001)}`;
  await t.throwsAsync(read(many), { message: /more than 500,000 rates/ });
  await t.throwsAsync(read(`a\n${'1\n'.repeat(2_000_000)}`), {
    message: /^Line 1: the columns must be date,currency,usd_per_unit/,
  });
  await t.throwsAsync(read(`Date,USD${','.repeat(1_000)}`), { message: /more than 300 columns/ });
  const large = `${history}${' '.repeat(8 * 1_024 * 1_024)}`;
  await t.throwsAsync(read(large), { message: /larger than 8 MB/ });
  await t.throwsAsync(readRateFile(zip({ a: large })), { message: /larger than 8 MB/ });
});

test('the rates that come with the service are one of each of 145 currencies, dated, with their source in the file', async t => {
  const file = await readFile('shared/events/input/reference_rates.csv', 'utf8');
  t.regex(file, /^# Source: .*29 September 2026/m);
  t.is(referenceRates.size, 145);
  t.deepEqual(
    (await readRateFile(Buffer.from(file))).map(({ currency, date, usd_per_unit }) => [
      currency,
      { usd_per_unit, date, source: 'reference' },
    ]),
    [...referenceRates],
  );
  const central =
    'EUR JPY CZK DKK GBP HUF PLN RON SEK CHF ISK NOK TRY AUD BRL CAD CNY HKD IDR ILS INR KRW MXN MYR NZD PHP SGD THB ZAR';
  t.deepEqual(
    central.split(' ').filter(code => !referenceRates.has(code)),
    [],
  );
});
