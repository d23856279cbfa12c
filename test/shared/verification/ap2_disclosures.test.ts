import { createHash } from 'node:crypto';
import test from 'ava';
import { discloseClaims } from '#shared/verification/ap2/disclosures.ts';
import { base64url, newKey } from '#test/helpers/proofs/jwt.ts';
import { signMandate } from '#test/helpers/proofs/ap2.ts';

const disclosure = (...parts: unknown[]) => base64url(JSON.stringify(parts));
const digest = (text: string, algorithm = 'sha256') => createHash(algorithm).update(text).digest('base64url');
const refusal = (...given: Parameters<typeof discloseClaims>) => {
  const answer = discloseClaims(...given);
  return answer.ok ? 'accepted' : answer.expected;
};

test('what @sd-jwt/core hides and discloses is put in its place', async t => {
  const mandate = { vct: 'v', a: { b: 1, c: 2 }, list: ['x', 'y'] };
  const frame = { _sd: ['vct'], a: { _sd: ['b', 'c'] }, list: { _sd: [0, 1] } };
  const [jwt = '', ...disclosures] = (await signMandate(await newKey(), mandate, { frame })).split('~').slice(0, -1);
  const signed = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  const all = discloseClaims(signed, disclosures);
  t.deepEqual(all.ok && all.value.claims, { delegate_payload: [mandate] });
  t.is(all.ok && all.value.withheld.size, 0);
});

test('what is withheld leaves no trace but the place it is missing from', t => {
  const shown = disclosure('s', 'a', 1);
  const signed = {
    _sd: [digest(shown), digest('decoy')],
    list: ['x', { '...': digest('hidden') }],
    _sd_alg: 'sha-256',
  };
  const answer = discloseClaims(signed, [shown]);
  if (!answer.ok) return t.fail(answer.expected);
  const { claims, withheld } = answer.value;
  t.deepEqual(claims, { a: 1, list: ['x'] });
  t.deepEqual([withheld.has(claims), withheld.has(claims['list'] as object)], [true, true]);
});

test('the hash of _sd_alg is used, and no other', t => {
  const one = disclosure('s', 'a', 1);
  const signed = (_sd_alg: string, algorithm: string) => ({ _sd: [digest(one, algorithm)], _sd_alg });
  t.is(refusal(signed('sha-512', 'sha512'), [one]), 'accepted');
  t.regex(refusal(signed('sha-512', 'sha256'), [one]), /belong to a digest/);
  t.regex(refusal(signed('sha-1', 'sha1'), [one]), /_sd_alg must be/);
  t.regex(refusal({ _sd_alg: 7 }, []), /_sd_alg must be/);
});

const member = disclosure('s', 'a', 1);
const element = disclosure('s', 1);
const unsound: [string, object, string[], RegExp][] = [
  ['is given twice', { _sd: [digest(member)] }, [member, member], /given twice/],
  ['belongs to no digest', { x: 1 }, [member], /belong to a digest/],
  ['belongs to a digest that is not disclosed', { _sd: ['x'] }, [member], /belong to a digest/],
  ['is referred to twice', { _sd: [digest(member)], x: { _sd: [digest(member)] } }, [member], /occur twice/],
  ['is of a list and stands for a member', { _sd: [digest(element)] }, [element], /stands for a member/],
  ['is of a member and stands in a list', { x: [{ '...': digest(member) }] }, [member], /stands in a list/],
  ['has the name of a member that is there', { a: 2, _sd: [digest(member)] }, [member], /taken or reserved/],
  [
    'has the name _sd',
    { _sd: [digest(disclosure('s', '_sd', []))] },
    [disclosure('s', '_sd', [])],
    /taken or reserved/,
  ],
  ['has the name ...', { _sd: [digest(disclosure('s', '...', 1))] }, [disclosure('s', '...', 1)], /taken or reserved/],
  [
    'has the name __proto__',
    { _sd: [digest(disclosure('s', '__proto__', {}))] },
    [disclosure('s', '__proto__', {})],
    /reserved/,
  ],
  ['has no salt', { _sd: [digest(disclosure(1, 'a', 1))] }, [disclosure(1, 'a', 1)], /must be base64url/],
  ['has four parts', { _sd: [digest(disclosure('s', 'a', 1, 2))] }, [disclosure('s', 'a', 1, 2)], /must be base64url/],
  ['is not base64url', { _sd: [digest('!')] }, ['!'], /must be base64url/],
  ['is base64url in another form', { _sd: [digest(`${member}=`)] }, [`${member}=`], /must be base64url/],
  [
    'has a name twice',
    { _sd: [digest(base64url('["s","a",{"b":1,"b":2}]'))] },
    [base64url('["s","a",{"b":1,"b":2}]')],
    /must be base64url/,
  ],
];
for (const [title, signed, disclosures, expected] of unsound)
  test(`a disclosure is refused that ${title}`, t => t.regex(refusal({ ...signed }, disclosures), expected));

test('digests that are malformed are refused', t => {
  t.regex(refusal({ _sd: 'x' }, []), /list of digests/);
  t.regex(refusal({ _sd: [1] }, []), /must be text/);
  t.regex(refusal({ x: [{ '...': 'd', y: 1 }] }, []), /stand alone/);
  t.regex(refusal({ x: { '...': 'd' } }, []), /reserved/);
  t.regex(refusal({ x: [{ '...': 'd' }, { '...': 'd' }] }, []), /occur twice/);
});

test('disclosures within disclosures are followed so far and no further', t => {
  const nest = (levels: number) => {
    const disclosures = [disclosure('s', 'a', 1)];
    for (let level = 1; level < levels; level++)
      disclosures.push(disclosure('s', 'a', { _sd: [digest(disclosures.at(-1) ?? '')] }));
    return refusal({ _sd: [digest(disclosures.at(-1) ?? '')] }, disclosures);
  };
  t.is(nest(30), 'accepted');
  t.regex(nest(400), /nested deeper/);
});
