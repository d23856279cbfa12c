import { gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { decodeTime } from 'ulid';
import type { Item } from '#bin/admin/ingest/read_events.ts';
import { scanEvent } from '#bin/admin/ingest/scan_event.ts';
import { readInput } from '#test/helpers/read_input.ts';

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
      const { items, broke } = await readInput(text, { piece });
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
      t.deepEqual(numbersOf((await readInput(Buffer.concat(parts), { piece })).items), [1, 2, 3]);
  }
});

test('compressed data that breaks off or is damaged gives what it holds, and says so', async t => {
  const many = Array.from({ length: 20_000 }, (_, n) => `{"id":"evt_${n}","n":${n}}`).join('\n');
  for (const compress of [gzipSync, zstdCompressSync]) {
    const whole = compress(many);
    const { items, broke } = await readInput(whole.subarray(0, whole.length - 9), { piece: 1_000 });
    t.regex(broke ?? '', /breaks off: the compressed data is not complete/);
    const sound = items.filter(({ refused }) => !refused);
    t.true(sound.length > 5_000, `${sound.length}`);
    t.deepEqual(
      numbersOf(sound),
      sound.map((_, index) => index),
    );
  }
});

test('compression that is not undone is called by its name, with what to do', async t => {
  // A frame of `zstd --long=31`: a window of 2 GB, and an empty last block.
  const { items, broke } = await readInput(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]));
  t.deepEqual(items, []);
  t.regex(broke ?? '', /^standard input was compressed with a larger window than .* zstd -dc --long=31 FILE \| zstd/);
  for (const compress of [gzipSync, zstdCompressSync])
    t.is(
      (await readInput(gzipSync(compress(texts.join('\n'))))).broke,
      'standard input was compressed twice: what it holds is compressed data again. Decompress it once before.',
    );
});

test('what is compressed in another way is called by its name, with what is read', async t => {
  for (const [first, name] of [
    ['PK\x03\x04', 'a zip archive'],
    ['BZh9', 'compressed with bzip2'],
  ] as const)
    t.is(
      (await readInput(`${first}\0\0\0`)).broke,
      `standard input is ${name}. Only gzip and zstd are decompressed here: decompress it first.`,
    );
});

test('JSON that breaks off gives the events before the break', async t => {
  for (const [text, reason] of [
    [`[${texts[0]},${texts[1]}`, /array is not closed/],
    [`[${texts[0]},${texts[1]},{"id":`, /breaks off inside the value that begins in line 1/],
    [`{\n"id":"evt_1","n":1}\n{\n"id":"evt_2","n":2}\n{"n":`, /begins in line 5/],
  ] as const) {
    const { items, broke } = await readInput(text);
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
  const { items, broke } = await readInput(bytes);
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
  const array = await readInput(`[${texts[0]}, 7, "x", [1], {"id" 3}, null,\n${texts[1]}]`);
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

test('a first line that is broken costs that line alone, and any layout of JSON is still known', async t => {
  const broken = [
    '{"type": "payment.settled", ',
    '{"payment": {"payee": [',
    '{"type": "payment.set',
    'e":"settled","amount":{"value":"310"}}}',
    'nonsense',
    'null',
    'null\nnull',
  ];
  for (const first of broken)
    for (const count of [1, 2, 3])
      for (const piece of [1, 100_000]) {
        const { items, broke } = await readInput(`${first}\n${texts.slice(0, count).join('\n')}\n`, { piece });
        t.is(broke, null, first);
        t.deepEqual(
          items.map(({ line, refused }) => [line, refused !== undefined]),
          [...first.split('\n'), ...texts.slice(0, count)].map((_, index) => [index + 1, index < items.length - count]),
        );
      }
  const layouts = ['{"a":\n{"x":1}\n}', '{"a":[\n{"x":1}\n]}', '{"a":[\n{"x":1}\n,\n{"y":2}\n]}', '{"a":1},\n{"b":2}'];
  for (const text of [...layouts, 'null\n{\n"a":1\n}\n'])
    for (const piece of [1, 100_000]) {
      const { items, broke } = await readInput(text, { piece });
      t.is(broke, null, text);
      t.deepEqual(
        items.flatMap(({ json, refused }) =>
          refused ? [] : Object.keys(JSON.parse(json)).filter(key => key !== 'id'),
        ),
        text.includes('"b"') ? ['a', 'b'] : ['a'],
        text,
      );
    }
});

test('a line that could not be sent does not fill the memory, and the next one is read', async t => {
  const { items } = await readInput(`${texts[0]}\n{"id":"${'x'.repeat(3_000_000)}"}\n${texts[1]}`, { piece: 60_000 });
  t.deepEqual(
    items.map(({ refused }) => refused?.code ?? null),
    [null, 'payload_too_large', null],
  );
  t.true(JSON.stringify(items[1]?.source).length < 2_000);
});

test('whatever is put between the events of a batch, it stays that of one', t => {
  for (const text of [
    '{"id":1}{',
    '{"id":"}',
    '{"id":1},{"id":2}',
    '[{"id":1}]',
    '"id"',
    '{"id":1}x',
    '',
    '{"id":"\\"}',
    '}{"id":1}',
  ])
    t.is(scanEvent(text), null, text);
  t.deepEqual(scanEvent(' {"a":{"id":1},"b":["id",{"id":2}]} '), { has_id: false, agent: '' });
  t.deepEqual(scanEvent('{"agent" : {"name":"x","external_id":"a\\"b"}, "id":"\\\\"}'), {
    has_id: true,
    agent: 'a\\"b',
  });
  t.deepEqual(scanEvent('{"x":{"external_id":"no"},"agent_id":"agt_1"}'), { has_id: false, agent: 'agt_1' });
});

test('the text of an event is sent as it is', async t => {
  const text = '{"id":"evt_1","n":1.10,"n":12345678901234567890,"s":"\\u00e9"}';
  t.is((await readInput(text)).items[0]?.json, text);
});

test('events without an id are given one that is the same whenever the file is read, and of their own where two are alike', async t => {
  const at = '"occurred_at":"2026-11-20T10:15:30.000Z"';
  const lines = [`{${at},"n":1}`, `{${at},"n":2}`, `{ "n": 1, ${at} }`, '{}', `{${at},"n":1}`];
  const first = await readInput(lines.join('\n'));
  const ids = first.items.map(({ json }) => (JSON.parse(json) as { id: string }).id);
  t.true(ids.every(id => /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)));
  t.is(new Set(ids).size, 5);
  t.is(decodeTime(ids[0]?.slice(4) ?? ''), Date.parse('2026-11-20T10:15:30.000Z'));
  // However it is laid out, and wherever it stands.
  const moved = await readInput(`[${[lines[3], lines[1], lines[0]].join(',\n')}]`);
  t.deepEqual(
    moved.items.map(({ json }) => (JSON.parse(json) as { id: string }).id),
    [ids[3], ids[1], ids[0]],
  );
  // A resumed run counts the repetitions that it leaves out.
  const rest = await readInput(lines.join('\n'), { skip: 2, skips_made_ids: true });
  t.deepEqual(
    rest.items.map(({ json }) => (JSON.parse(json) as { id: string }).id),
    ids.slice(2),
  );
});

test('what cannot be told is said', async t => {
  t.regex((await readInput('hello world\n')).broke ?? '', /begins with neither \[ nor \{.*--map/);
  t.regex((await readInput(Buffer.from(texts.join('\n'), 'utf16le'))).broke ?? '', /zero bytes/);
  t.regex((await readInput(texts.join('\n'), { mapping: {} })).broke ?? '', /is JSON, and --map names columns/);
  t.deepEqual(await readInput(''), { items: [], broke: null });
});
