import * as fc from 'fast-check';

/** Texts at which programs stumble: edges of numbers and times, markup of other languages, odd characters, great length. */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-0',
    '00',
    '1e3',
    '0x1',
    'NaN',
    'null',
    'true',
    '%00',
    "' or 1=1--",
    '$1',
    '\\',
    '\u0001',
    '\u007f',
    '\u2028',
    '\ufeff',
    '\ufffe',
    'İ',
    'ß',
    '👩‍👩‍👧',
    '\u0301\u0301',
    '../..',
    '__proto__',
    'constructor',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '2026-11-20T09:00:00.000+00:00',
    'evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    'src_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'javascript:alert(1)',
    'http://[',
    'domain:xn--',
    'eip155:99999999999999999999999999999999:0x0',
    'DE00 0000',
    '9'.repeat(78),
    '9'.repeat(200),
    'x'.repeat(70_000),
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
);

const values: fc.Arbitrary<unknown> = fc.oneof(
  texts,
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    0.5,
    1e-300,
    1e15,
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
    1e308,
    [],
    {},
    [[]],
    [null],
    { a: {} },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

type Change = { at: number; how: 'replace' | 'remove' | 'rename' | 'add' | 'repeat'; value: unknown; name: string };

const changes = fc.array(
  fc.record({
    at: fc.nat(1_000),
    how: fc.constantFrom<Change['how']>('replace', 'replace', 'replace', 'remove', 'rename', 'add', 'repeat'),
    value: values,
    name: texts,
  }),
  { minLength: 1, maxLength: 3 },
);

/** A sound JSON value that was changed in up to three places. */
export const mutated = (sound: unknown): fc.Arbitrary<unknown> =>
  changes.map(list => list.reduce(change, structuredClone(sound)));

/** A query string of known and unknown names with sound and unsound values, well and badly encoded. */
export const queries = (known: string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        known.length > 0
          ? fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: texts })
          : texts,
        fc.oneof(texts, fc.constantFrom('1', '200', 'card', 'open', '2026-11-20T09:00:00Z')),
        fc.boolean(),
      ),
      { maxLength: 3 },
    )
    .map(pairs =>
      pairs.map(([name, value, encoded]) => `${encode(name)}=${encoded ? encode(value) : raw(value)}`).join('&'),
    );

const encode = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, 3_000);
/** The part of a text that may stand in a request line as it is. */
const raw = (text: string) => text.replace(/[^!-~]/g, '%').slice(0, 3_000);

export const pathPieces = texts.map(encode).filter(piece => piece !== '');

function change(root: unknown, { at, how, name, ...given }: Change): unknown {
  const value = structuredClone(given.value);
  const places = placesOf(root);
  const place = places[at % Math.max(places.length, 1)];
  if (!place) return value;
  const { holder, key } = place;
  const there = holder[key];
  if (how === 'replace') holder[key] = value;
  else if (how === 'repeat') holder[key] = Array.from({ length: 20 }, () => structuredClone(there));
  else if (how === 'add') put(holder, name, value);
  else {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
    if (how === 'rename') put(holder, name, there);
  }
  return root;
}

/** Also `__proto__` becomes a member of its own. */
function put(holder: Holder, name: string, value: unknown): void {
  if (Array.isArray(holder)) holder.push(value);
  else Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true });
}

type Holder = Record<string, unknown>;

/** Every member and item in a value. */
function placesOf(value: unknown): { holder: Holder; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap(key => [{ holder, key }].concat(placesOf(holder[key])));
}
