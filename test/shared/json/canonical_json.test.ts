import test from 'ava';
import * as fc from 'fast-check';
import { canonicalJson, NotCanonical } from '#shared/json/canonical_json.ts';

test('canonical text is stable and keeps the value', t => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = canonicalJson(value);
      t.is(canonicalJson(JSON.parse(text)), text);
      t.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('member order and spacing of the input do not matter', t => {
  t.is(
    canonicalJson(JSON.parse('{ "b": [1, 2], "a": {"d": null, "c": true} }')),
    '{"a":{"c":true,"d":null},"b":[1,2]}',
  );
});

test('members are sorted by UTF-16 code units, as in RFC 8785 §3.2.3', t => {
  const names = ['€', '\r', '\ufb33', '1', '😀', '\u0080', 'ö'];
  const sorted = ['\r', '1', '\u0080', 'ö', '€', '😀', '\ufb33'];
  const object = Object.fromEntries(names.map(name => [name, name]));
  t.deepEqual(Object.keys(JSON.parse(canonicalJson(object).replace('"1":', '"one":'))), sorted.with(1, 'one'));
});

test('many members are sorted like few', t => {
  const names = Array.from({ length: 100 }, (_, index) => `k${index}`);
  t.is(
    canonicalJson(Object.fromEntries(names.map(name => [name, 0]))),
    `{${names.toSorted().map(name => `"${name}":0`)}}`,
  );
});

test('numbers and strings have their ES6 form, as in RFC 8785 §3.2.2', t => {
  const numbers = [1e21, 4.5, 0.002, 1e-27, -0, 1e30, 295147905179352830000];
  t.is(canonicalJson(numbers), '[1e+21,4.5,0.002,1e-27,0,1e+30,295147905179352830000]');
  t.is(canonicalJson('€$\u000f\nA\'B"\\/\u007f'), '"€$\\u000f\\nA\'B\\"\\\\/\u007f"');
});

test('what JSON cannot hold is refused; undefined members are left out', t => {
  t.is(canonicalJson({ b: undefined, a: 1 }), '{"a":1}');
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const value of [Number.NaN, Infinity, '\ud800', { '\udc00': 1 }, 1n, () => 1, [undefined], cycle]) {
    t.throws(() => canonicalJson(value), { instanceOf: NotCanonical });
  }
});
