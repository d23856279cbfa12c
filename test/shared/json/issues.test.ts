import test from 'ava';
import { z } from 'zod';
import { validate } from '#shared/json/issues.ts';
import { prefixedUlid } from '#shared/interface/prefixed_ulid.ts';
import { line } from '#shared/values/text.ts';

const Body = z.strictObject({
  name: line(5),
  kind: z.enum(['a', 'b']),
  one: z.literal('x').optional(),
  count: z.int().min(1).max(3).optional(),
  tags: z.array(z.string()).max(1).optional(),
  either: z.union([z.string(), z.number()]).optional(),
  free: z.record(z.string().max(3), z.unknown()).optional(),
});

const problems = (input: unknown, pointer?: string) => {
  const result = validate(Body, input, pointer === undefined ? {} : { pointer });
  return result.ok ? [] : result.issues.map(({ path, code, message }) => `${path} ${code} ${message}`);
};

test('every problem of a body is named at its place, with what would be right', t => {
  t.deepEqual(
    problems({ name: 'abcdef', kind: 'c', one: 'y', count: 9, tags: ['x', 'y'], either: true, free: { long: 1 } }),
    [
      '/name too_long name must have at most 5 characters. It was "abcdef".',
      '/kind invalid_value kind must be one of a, b. It was "c".',
      '/one invalid_value one must be x. It was "y".',
      '/count too_big count must be at most 3. It was 9.',
      '/tags too_long tags must have at most 1 item. It was an array of 2.',
      '/either invalid_type either has none of the allowed forms. It was true.',
      '/free/long too_long free.long must have at most 3 characters. It was "long".',
    ],
  );
});

test('missing, empty and null are told apart', t => {
  t.deepEqual(problems({ name: '' }), [
    '/name too_short name must have at least 1 character. It was "".',
    '/kind required kind is required: one of a, b.',
  ]);
  t.deepEqual(problems({ name: 'a', kind: null }), ['/kind required kind is required and must not be null.']);
  t.deepEqual(problems({ name: 'a', kind: 'a', tags: [1] }), [
    '/tags/0 invalid_type tags[0] must be a string. It was 1.',
  ]);
  t.deepEqual(problems({ name: 'a', kind: 'a', tags: [null] }), [
    '/tags/0 invalid_type tags[0] must be a string. It was null.',
  ]);
  t.deepEqual(problems(undefined), [' required The value is required.']);
  t.deepEqual(problems([]), [' invalid_type The value must be an object. It was an array of 0.']);
});

test('each unknown member has its own pointer, escaped as in RFC 6901', t => {
  t.deepEqual(problems({ name: 'a', kind: 'a', nmae: 1, 'a/b~c': 2 }, '/events/3'), [
    '/events/3/nmae unrecognized_member nmae is not a known member; did you mean name?',
    '/events/3/a~1b~0c unrecognized_member a/b~c is not a known member; check its spelling or leave it out.',
  ]);
});

test('a rule about an object that leads to a member says what was sent there, and nothing where nothing was', t => {
  const Range = z
    .object({ min: z.int(), max: z.int().optional() })
    .refine(({ min, max }) => max !== undefined && min <= max, { path: ['max'], error: 'must be at least min' });
  const Choice = z.discriminatedUnion(
    'type',
    [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })],
    {
      error: 'must be one of a, b',
    },
  );
  const told = (schema: z.ZodType, input: unknown) => {
    const result = validate(z.object({ of: schema }), { of: input });
    return result.ok ? [] : result.issues.map(({ message }) => message);
  };
  t.deepEqual(told(Range, { min: 5, max: 4 }), ['of.max must be at least min. It was 4.']);
  t.deepEqual(told(Range, { min: 5 }), ['of.max must be at least min.']);
  t.deepEqual(told(Choice, { type: 'c' }), ['of.type must be one of a, b. It was "c".']);
  t.deepEqual(told(Choice, {}), ['of.type must be one of a, b.']);
});

test('ids are read in any case and come out in one', t => {
  const Id = prefixedUlid('evt');
  const id = 'evt_01KADG3M5QJ8V2X4Z6B7C9D0EF';
  for (const text of [id, id.toLowerCase(), id.toUpperCase()]) t.is(Id.parse(text), id);
  for (const text of [
    id.slice(4),
    `${id}0`,
    id.replace('0', '8'),
    id.replace('K', 'U'),
    id.replace('evt', 'agt'),
    ` ${id}`,
  ]) {
    t.false(Id.safeParse(text).success, text);
  }
});

test('null for an optional member means that it is absent, at any depth; free data keeps its nulls', t => {
  const Nested = z.strictObject({
    inner: Body,
    list: z.array(Body).optional(),
    empty: z.string().nullable().optional(),
    preset: z.int().default(7),
  });
  const sound = { name: 'a', kind: 'a', one: null, count: null, tags: null, either: null };
  const result = validate(Nested, {
    inner: { ...sound, free: { a: null } },
    list: [{ ...sound, free: null }],
    empty: null,
    preset: null,
  });
  t.deepEqual(result, {
    ok: true,
    value: {
      inner: { name: 'a', kind: 'a', free: { a: null } },
      list: [{ name: 'a', kind: 'a' }],
      empty: null,
      preset: 7,
    },
  });
  t.deepEqual(problems({ ...sound, unheard: null }), [
    '/unheard unrecognized_member unheard is not a known member; check its spelling or leave it out.',
  ]);
});

test('a refusal shows what was most likely meant', t => {
  const Choice = z.object({ kind: z.enum(['open', 'closed']), count: z.int(), yes: z.boolean() });
  const result = validate(Choice, { kind: 'Closed', count: '12', yes: 'true' });
  t.false(result.ok);
  t.deepEqual(!result.ok && result.issues, [
    {
      path: '/kind',
      code: 'invalid_value',
      message: 'kind must be one of open, closed. It was "Closed"; send "closed".',
      example: 'closed',
    },
    {
      path: '/count',
      code: 'invalid_type',
      message: 'count must be a number. It was "12"; send 12.',
      example: 12,
    },
    {
      path: '/yes',
      code: 'invalid_type',
      message: 'yes must be true or false. It was "true"; send true.',
      example: true,
    },
  ]);
});

test('a refusal repeats no secret, no evidence, no card number, and nothing at length', t => {
  const secrets = [
    'signing_secret',
    'access_token',
    'password',
    'code',
    'recovery_code',
    'signature',
    'public_key',
    'metadata',
  ];
  const Secret = z.object(Object.fromEntries(secrets.map(name => [name, z.number()])));
  const told = (schema: z.ZodType, input: unknown) => {
    const result = validate(schema, input);
    return result.ok ? [] : result.issues.map(({ message }) => message);
  };
  for (const message of told(Secret, Object.fromEntries(secrets.map(name => [name, 'hunter2']))))
    t.notRegex(message, /hunter2/);
  const Evidence = z.object({ evidence: z.array(z.object({ value: z.number(), kind: z.number() })) });
  const [value, kind] = told(Evidence, { evidence: [{ value: 'proof', kind: 'word' }] });
  t.is(value, 'evidence[0].value must be a number.');
  t.is(kind, 'evidence[0].kind must be a number. It was "word".');
  for (const text of [
    'hk_live_abcdefghijklmnopqrstuvwxyz012345',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
    'Bearer abcdefghijkl',
    'https://ada:pass@example.com/',
    '-----BEGIN PRIVATE KEY-----',
    '4111 1111 1111 1111',
    'card 5555-5555-5555-4444, please',
  ])
    t.deepEqual(told(z.object({ name: z.number() }), { name: text }), ['name must be a number.'], text);
  t.deepEqual(told(z.object({ name: z.boolean() }), { name: 4_111_111_111_111_111 }), ['name must be true or false.']);
  t.deepEqual(told(z.object({ name: z.number() }), { name: '😀'.repeat(100_000) }), [
    `name must be a number. It was "${'😀'.repeat(60)}"… (200000 characters).`,
  ]);
});

test('a refusal repeats no evidence, and looks through the beginning of a long text alone', t => {
  const Proven = z.strictObject({ evidence: z.array(z.object({})), email: z.string().max(3).optional() });
  const told = (input: unknown) => {
    const result = validate(Proven, input);
    return result.ok ? [] : result.issues.map(({ message }) => message);
  };
  t.deepEqual(told({ evidence: ['raw proof'] }), ['evidence[0] must be an object.']);
  t.deepEqual(told({ evidence: 'raw proof' }), ['evidence must be an array.']);
  const colons = `://${':'.repeat(1_000_000)}`;
  t.deepEqual(told({ evidence: [], email: colons }), [
    `email must have at most 3 characters. It was "${colons.slice(0, 60)}"… (1000003 characters).`,
  ]);
});
