import test from 'ava';
import { assert, constantFrom, integer, property, string } from 'fast-check';
import { isInnerList, parseDictionary, serializeInnerList } from 'structured-headers';
import { isSignedBy } from '#shared/verification/http_signature/algorithms.ts';
import { matchesDigest } from '#shared/verification/agent_signature.ts';
import { readRequest, readUrl, type SignedRequest } from '#shared/verification/http_signature/request.ts';
import { coveredLines } from '#shared/verification/http_signature/signature_base.ts';
import {
  readSignatureInputs,
  readSignatures,
  type SignatureInput,
} from '#shared/verification/http_signature/signature_fields.ts';
import { runs } from '#test/helpers/runs.ts';

const request = (evidence: Record<string, unknown>): SignedRequest => {
  const read = readRequest(evidence);
  if (typeof read === 'string') throw new Error(read);
  return read;
};

const inputOf = (text: string): SignatureInput => {
  const input = readSignatureInputs(text)?.[0];
  if (!input) throw new Error('not a Signature-Input');
  return input;
};

// RFC 9421 appendix B.2, the request of all its examples.
const example = {
  method: 'POST',
  url: 'https://example.com/foo?param=Value&Pet=dog',
  headers: {
    Host: 'example.com',
    Date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'Content-Type': 'application/json',
    'Content-Digest':
      'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
    'Content-Length': '18',
  },
  body: '{"hello": "world"}',
};

test('the Ed25519 example of RFC 9421 (B.2.6) holds, and not with another date', t => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' };
  const input = inputOf(
    'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  );
  const signature = readSignatures(
    'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
  )?.get('sig-b26');
  const holds = (evidence: Record<string, unknown>) => {
    const base = `${String(coveredLines(input, request(evidence)))}"@signature-params": ${input.canonical}`;
    return isSignedBy(jwk, 'ed25519', Buffer.from(base), signature ?? Buffer.alloc(0));
  };
  t.true(holds(example));
  t.false(holds({ ...example, headers: { ...example.headers, Date: 'Tue, 20 Apr 2021 02:07:56 GMT' } }));
});

test('the digest of the body of RFC 9421 holds', t => {
  t.is(matchesDigest(example.headers['Content-Digest'], example.body), 'yes');
  t.is(matchesDigest(example.headers['Content-Digest'], `${example.body} `), 'no');
  t.is(matchesDigest('sha-256=7', example.body), 'malformed');
  t.is(matchesDigest('sha=:AAAA:', example.body), 'unknown');
});

const message = request({
  method: 'get',
  url: "HTTPS://WWW.Example.com:443/path?param=value&foo=bar&baz=batman&qux=&var=this%20is%20a%20big%0Avalue&sign=it's!&double=1&double=2#part",
  headers: [
    ['X-Obs', 'Obsolete\r\n    line folding.'],
    ['X-Spaces', '   leading and trailing whitespace.  '],
    ['Cache-Control', 'max-age=60'],
    ['cache-control', '   must-revalidate'],
    ['Example-Dict', '  a=1,    b=2;x=1;y=2,   c=(a   b   c), d'],
    ['Empty', ''],
    ['Latin', 'caf\u00e9'],
    ['Wide', '\u0141'],
  ],
});

// Most are the examples of RFC 9421 §2.
for (const [component, value] of [
  ['"@method"', 'GET'],
  [
    '"@target-uri"',
    "https://www.example.com/path?param=value&foo=bar&baz=batman&qux=&var=this%20is%20a%20big%0Avalue&sign=it's!&double=1&double=2",
  ],
  ['"@authority"', 'www.example.com'],
  ['"@scheme"', 'https'],
  ['"@path"', '/path'],
  ['"@query-param";name="baz"', 'batman'],
  ['"@query-param";name="qux"', ''],
  ['"@query-param";name="var"', 'this%20is%20a%20big%0Avalue'],
  ['"@query-param";name="sign"', 'it%27s%21'],
  ['"@query-param";name="double"', null],
  ['"@query-param";name="absent"', null],
  ['"x-obs"', 'Obsolete line folding.'],
  ['"x-spaces"', 'leading and trailing whitespace.'],
  ['"cache-control"', 'max-age=60, must-revalidate'],
  ['"cache-control";bs', ':bWF4LWFnZT02MA==:, :bXVzdC1yZXZhbGlkYXRl:'],
  ['"example-dict"', 'a=1,    b=2;x=1;y=2,   c=(a   b   c), d'],
  ['"example-dict";sf', 'a=1, b=2;x=1;y=2, c=(a b c), d'],
  ['"example-dict";key="a"', '1'],
  ['"example-dict";key="b"', '2;x=1;y=2'],
  ['"example-dict";key="c"', '(a b c)'],
  ['"example-dict";key="d"', '?1'],
  ['"example-dict";key="e"', null],
  ['"empty"', ''],
  ['"latin";bs', ':Y2Fm6Q==:'],
  ['"wide";bs', null],
] as const) {
  test(`${component} is ${value ?? 'not in the request'}`, t => {
    const lines = coveredLines(inputOf(`sig=(${component})`), message);
    if (value !== null) t.is(lines, `${component}: ${value}\n`);
    else t.like(lines, { code: 'component_missing' });
  });
}

test('a value that is not ASCII is no line of what was signed', t => {
  t.like(coveredLines(inputOf('sig=("latin")'), message), { code: 'malformed' });
});

test('a URL without path and query has / and ?', t => {
  const bare = request({ method: 'GET', url: 'http://[2001:DB8::1]:8080', headers: {} });
  t.is(
    coveredLines(inputOf('sig=("@path" "@query" "@request-target" "@authority")'), bare),
    '"@path": /\n"@query": ?\n"@request-target": /\n"@authority": [2001:db8::1]:8080\n',
  );
});

test('percent signs of a URL are left as they were sent', t => {
  t.like(readUrl('https://shop.example/a%2Fb/../%2e%2e/c?q=%41'), { path: '/a%2Fb/../%2e%2e/c', query: '?q=%41' });
  for (const url of [
    'https://sh%6Fp.example/',
    'https:shop.example',
    '//shop.example',
    'https://',
    'https://a b/',
    'https://a/\u0000',
  ])
    t.is(readUrl(url), null, url);
});

test('what is read of Signature-Input is what a library for structured fields reads', t => {
  const good = 'sig1=("@authority" "a";key="b c";sf "\\"\\\\" );created=1;n="\\\\x";b=?0;t=tok/en:*;o, s2=();x=:AA==:';
  const characters = constantFrom(...'()";=,:?\\ \t01aA@-*_%');
  t.notThrows(() =>
    assert(
      property(
        integer({ min: 0, max: good.length - 1 }),
        string({ unit: characters, maxLength: 3 }),
        (at, inserted) => {
          const text = good.slice(0, at) + inserted + good.slice(at + (inserted.length % 2));
          const read = readSignatureInputs(text.trim());
          if (!read) return;
          const dictionary = parseDictionary(text.trim());
          if (read.length !== dictionary.size) throw new Error(text);
          for (const { label, canonical } of read) {
            const member = dictionary.get(label);
            if (!member || !isInnerList(member) || serializeInnerList(member) !== canonical) throw new Error(text);
          }
        },
      ),
      { numRuns: runs(20_000) },
    ),
  );
});

test('a dictionary that is sound is read whole', t => {
  const read = readSignatureInputs('sig1=("@authority" "a";key="b";sf);created=1 ,\tsig2=(  );tag="x"  ');
  t.deepEqual(
    read?.map(({ label }) => label),
    ['sig1', 'sig2'],
  );
  t.is(read?.[0]?.canonical, '("@authority" "a";key="b";sf);created=1');
  t.deepEqual([...(readSignatures('sig1=:AAAA:;p=1, sig2=:AA==:')?.keys() ?? [])], ['sig1', 'sig2']);
  t.is(readSignatures('sig1=:AB==:'), null, 'bits that no byte has');
});
