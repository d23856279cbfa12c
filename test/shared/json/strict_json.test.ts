import test from 'ava';
import * as fc from 'fast-check';
import { JsonError, MAX_JSON_VALUES, parseStrictJson } from '#shared/json/strict_json.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const fault = (text: string | Uint8Array) => {
  try {
    return parseStrictJson(Buffer.from(text as string));
  } catch (error) {
    return error instanceof JsonError ? `${error.code} ${error.path}` : error;
  }
};

test('sound JSON parses to the same value as with JSON.parse', t => {
  const safe = (_: string, value: unknown) => (typeof value === 'number' && Math.abs(value) > 2 ** 53 - 1 ? 0 : value);
  const texts = fc.jsonValue().map(value => JSON.stringify(value, safe, 1));
  fc.assert(
    fc.property(
      texts.filter(text => !text.includes('__proto__')),
      text => t.deepEqual(parse(text), JSON.parse(text)),
    ),
  );
});

test('a number that lies half way between two decimals is taken as every reader writes it', t => {
  const half = Number('-231287692760656.12');
  for (const number of [half, 0.1 + 0.2, 5e-324]) t.is(parse(JSON.stringify(number)), number);
});

test('text that JSON.parse refuses is refused, with a place and without a quote', t => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('', '"', '}', ',', '\\', 'secret'), (text, seed, insert) => {
      const at = seed % (text.length + 1);
      const damaged = text.slice(0, at) + insert + text.slice(at + 1);
      try {
        JSON.parse(damaged);
      } catch {
        const error = t.throws(() => parse(damaged), { instanceOf: JsonError });
        t.notRegex(error?.message ?? '', /secret/);
      }
    }),
  );
});

test('each thing that two readers could understand differently is refused at its place', t => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  for (const [text, expected] of [
    ['', 'malformed_json '],
    ['  ', 'malformed_json '],
    ['{"a":1,}', 'malformed_json '],
    ['{"a":{"b":tru}}', 'malformed_json /a/b'],
    ['{"a":1} x', 'malformed_json '],
    ['{"a":"\n"}', 'malformed_json /a'],
    ['{"a":01}', 'malformed_json '],
    ['\ufeff{}', 'invalid_encoding '],
    ['{"a":1,"a":1}', 'duplicate_key /a'],
    ['{"events":[{},{"x/y":{"k":1,"\\u006b":2}}]}', 'duplicate_key /events/1/x~1y/k'],
    ['{"a":{"__proto__":{}}}', 'forbidden_key /a/__proto__'],
    ['{"\\u005f_proto__":1}', 'forbidden_key /__proto__'],
    ['{"a":"\\u0000"}', 'invalid_character /a'],
    ['{"\\u0000":1}', 'invalid_character '],
    ['{"a":["\\ud800"]}', 'invalid_character /a/0'],
    ['{"a":"\\udc00\\ud800"}', 'invalid_character /a'],
    ['{"a":9007199254740992}', 'unsafe_number /a'],
    ['[-9007199254740993]', 'unsafe_number /0'],
    ['[1e400]', 'unsafe_number /0'],
    ['[1e-400]', 'unsafe_number /0'],
    ['[1e21]', 'unsafe_number /0'],
    ['[0.1234567890123456789]', 'unsafe_number /0'],
    [deep(33), `too_deep ${'/0'.repeat(32)}`],
    [deep(200_000), `too_deep ${'/0'.repeat(32)}`],
    ['['.repeat(200_000), `too_deep ${'/0'.repeat(32)}`],
    [`[${'0,'.repeat(MAX_JSON_VALUES - 2)}0,0]`, 'too_many_values '],
    [`[${'{},'.repeat(MAX_JSON_VALUES / 2)}{}]`, 'too_many_values '],
  ] as const) {
    t.is(fault(text), expected, text.slice(0, 60));
  }
  t.is(fault(Uint8Array.of(0x22, 0xff, 0x22)), 'invalid_encoding ');
});

test('unusual but sound JSON is accepted', t => {
  for (const text of [
    '"__proto__"',
    '{"a":"\\\\u0000"}',
    '{"a":"\\ud83d\\ude00"}',
    '[9007199254740991,-9007199254740991,0.1,1.10,-0,1E3,2.5e-3,0.30000000000000004,5e-324]',
    '{"a":"\\"}{\\\\"}',
    '{"":{"":{}},"a:b":":"}',
    '\t\r\n [ ] ',
    '['.repeat(32) + ']'.repeat(32),
  ]) {
    t.deepEqual(parse(text), JSON.parse(text), text);
  }
  const most = parse(`[${'0,'.repeat(MAX_JSON_VALUES - 2)}0]`);
  t.is(Array.isArray(most) && most.length, MAX_JSON_VALUES - 1);
});

test('a syntax error names line and column', t => {
  t.throws(() => parse('{\n  "a": 1\n  "b": 2\n}'), {
    message: 'The body is not valid JSON: expected "," or "}" at line 3, column 3.',
  });
});

test('a long member name does not come back in full', t => {
  const name = 'x'.repeat(10_000);
  const error = t.throws(() => parse(`{"${name}":1,"${name}":2}`), { instanceOf: JsonError });
  t.true((error?.path.length ?? 0) < 120);
});
