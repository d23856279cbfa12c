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
  const result = validate(Body, input, pointer);
  return result.ok ? [] : result.issues.map(({ path, code, message }) => `${path} ${code} ${message}`);
};

test('every problem of a body is named at its place, with what would be right', t => {
  t.deepEqual(
    problems({ name: 'abcdef', kind: 'c', one: 'y', count: 9, tags: ['x', 'y'], either: true, free: { long: 1 } }),
    [
      '/name too_long name must have at most 5 characters.',
      '/kind invalid_value kind must be one of a, b.',
      '/one invalid_value one must be x.',
      '/count too_big count must be at most 3.',
      '/tags too_long tags must have at most 1 item.',
      '/either invalid_type either has none of the allowed forms.',
      '/free/long too_long free.long must have at most 3 characters.',
    ],
  );
});

test('missing, empty and null are told apart', t => {
  t.deepEqual(problems({ name: '', count: null }), [
    '/name too_short name must have at least 1 character.',
    '/kind required kind is required.',
    '/count invalid_type count must be a number; leave it out when there is nothing to say.',
  ]);
  t.deepEqual(problems({ name: 'a', kind: 'a', tags: [1] }), ['/tags/0 invalid_type tags[0] must be a string.']);
  t.deepEqual(problems(undefined), [' required The value is required.']);
  t.deepEqual(problems([]), [' invalid_type The value must be an object.']);
});

test('each unknown member has its own pointer, escaped as in RFC 6901', t => {
  t.deepEqual(problems({ name: 'a', kind: 'a', nmae: 1, 'a/b~c': 2 }, '/events/3'), [
    '/events/3/nmae unrecognized_member nmae is not a known member; check its spelling or leave it out.',
    '/events/3/a~1b~0c unrecognized_member a/b~c is not a known member; check its spelling or leave it out.',
  ]);
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
