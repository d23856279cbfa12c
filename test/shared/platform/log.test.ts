import test from 'ava';
import { censored } from '#shared/platform/log.ts';

test('what could be secret by its name is censored in a line and in the groups of a line, and nothing else is touched', t => {
  const error = Object.assign(new Error('refused'), { key: 'of an error, which has a text of its own' });
  const line = {
    key: 'a',
    org_id: 'b',
    request: { cookie: 'c', path: 'd', deep: { secret: 'e' } },
    error,
    list: ['f'],
  };
  t.deepEqual(censored(line, 2), {
    key: '[redacted]',
    org_id: 'b',
    request: { cookie: '[redacted]', path: 'd', deep: { secret: 'e' } },
    error,
    list: ['f'],
  });
  t.is(line.request.cookie, 'c', 'what was logged stays as it is');
  const plain = { org_id: 'b', nothing: null };
  t.is(censored(plain, 2), plain);
});
