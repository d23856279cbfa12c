import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { verifyPack } from '#shared/packs/verify.mjs';
import { makeSigner, sha256 } from '#test/helpers/pack_contents.ts';
import { makePack, sign, type TestPack } from '#test/helpers/pack_zip.ts';
import { checked, failuresOf, unpacked } from '#test/helpers/verify_pack.ts';
import { runs } from '#test/helpers/runs.ts';

/** A copy with some bytes of a file changed. */
function flipped(bytes: Buffer, at: number, mask = 1): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ mask, at);
  return changed;
}

const withFile = (files: Map<string, Buffer>, name: string, bytes: Buffer) => new Map([...files, [name, bytes]]);

test('one changed byte in any file is found, and the file is named', async t => {
  const { files, keys } = await makePack();
  const folder = await unpacked(t, files);
  for (const [name, bytes] of files) {
    const last = bytes.length - 1;
    const positions = [0, 1, last >> 3, last >> 2, last >> 1, last - 2, last - 1, last];
    for (const at of positions) {
      await writeFile(join(folder, name), flipped(bytes, at));
      const result = await verifyPack(folder, { keys });
      t.is(result.verdict, 'failed', `${name} ${at}`);
      t.true(
        failuresOf(result).some(failure => failure.includes(name)),
        `${name} ${at}: ${failuresOf(result)}`,
      );
    }
    await writeFile(join(folder, name), bytes);
  }
  t.true((await verifyPack(folder, { keys })).ok);
});

test('whatever byte of a file is changed to whatever other, the file is named', async t => {
  const { files, keys } = await makePack();
  const folder = await unpacked(t, files);
  const names = fc.constantFrom(...files.keys());
  const change = fc.record({ name: names, at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) });
  await fc.assert(
    fc.asyncProperty(change, async ({ name, at, mask }) => {
      const bytes = files.get(name) ?? Buffer.alloc(0);
      await writeFile(join(folder, name), flipped(bytes, at % bytes.length, mask));
      const result = await verifyPack(folder, { keys });
      await writeFile(join(folder, name), bytes);
      t.is(result.verdict, 'failed');
      t.true(failuresOf(result).some(failure => failure.includes(name)));
    }),
    { numRuns: runs(300) },
  );
});

test('a byte added to any file, or taken off it, is found', async t => {
  const pack = await makePack();
  for (const [name, bytes] of pack.files)
    for (const changed of [Buffer.concat([bytes, Buffer.from('\n')]), bytes.subarray(0, -1), Buffer.alloc(0)]) {
      const result = await checked(t, { ...pack, files: withFile(pack.files, name, changed) });
      t.true(
        failuresOf(result).some(failure => failure.includes(name)),
        `${name} ${changed.length}`,
      );
      t.false(result.ok);
    }
});

test('white space in the manifest is part of what is signed', async t => {
  const pack = await makePack();
  const manifest = JSON.parse(pack.files.get('manifest.json')?.toString() ?? '');
  const files = withFile(pack.files, 'manifest.json', Buffer.from(JSON.stringify(manifest)));
  t.deepEqual(failuresOf(await checked(t, { ...pack, files })), [
    'signature: manifest.json: one of manifest.json and manifest.jws was changed',
    'signature: manifest.jws: one of manifest.json and manifest.jws was changed',
    'key: manifest.json: is not signed with a trusted key',
  ]);
});

test('a signature can be written in one way only', async t => {
  const pack = await makePack();
  const jws = pack.files.get('manifest.jws')?.toString() ?? '';
  const [header = '', , signature = ''] = jws.split('.');
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const kid = pack.signer.kid;
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // The last two bits of the last letter are no part of the 64 bytes.
  const same = letters[letters.indexOf(signature.slice(-1)) ^ 1] ?? '';
  const headers = [
    { alg: 'none', kid },
    { alg: 'ES256', kid },
    { alg: 'Ed25519', kid },
    { alg: 'EdDSA' },
    { alg: 'EdDSA', kid, b64: false, crit: ['b64'] },
    { alg: 'EdDSA', kid, jwk: pack.signer.jwk },
  ].map(other => `${encode(JSON.stringify(other))}..${signature}`);
  const others = [
    `${jws}\n`,
    ` ${jws}`,
    `${jws}=`,
    `${jws}.`,
    jws.slice(0, -1) + same,
    '',
    '..',
    `${header}.${encode('{}')}.${signature}`,
    `${header}..`,
    `..${signature}`,
    jws.replace('..', '.'),
    `${encode(`{"alg":"EdDSA","kid":"${kid}","kid":"${kid}"}`)}..${signature}`,
    `${encode(`{"alg":"EdDSA", "kid":"${kid}"}`)}..${signature}`,
    ...headers,
  ];
  for (const other of others) {
    const result = await checked(t, { ...pack, files: withFile(pack.files, 'manifest.jws', Buffer.from(other)) });
    t.like(
      result.checks.find(check => check.name === 'signature'),
      { result: 'fail' },
      other,
    );
  }
});

test('a pack that somebody changed and signed anew is known by the key', async t => {
  const attacker = await makeSigner();
  const trusted = await makeSigner();
  const forged = await makePack({ signer: attacker });
  // With the thumbprint of the trusted key as its name.
  forged.files.set('log/keys.json', Buffer.from(JSON.stringify({ keys: [{ ...attacker.jwk, kid: trusted.kid }] })));
  const result = await checked(t, await resigned(forged, { keys: { keys: [trusted.jwk] } }));
  t.is(result.verdict, 'failed');
  t.deepEqual(failuresOf(result), ['key: manifest.json: is not signed with a trusted key']);
  t.deepEqual(result.signed_by, [attacker.kid]);
});

test('the signature of another key under the name of a trusted one does not hold', async t => {
  const trusted = await makeSigner();
  const attacker = await makeSigner();
  const forged = await makePack({ signer: { ...attacker, kid: trusted.kid } });
  const result = await checked(t, { ...forged, keys: { keys: [trusted.jwk] } });
  t.true(failuresOf(result).includes('signature: manifest.json: one of manifest.json and manifest.jws was changed'));
  t.true(failuresOf(result).includes('key: manifest.json: is not signed with a trusted key'));
});

test('events cannot be taken out, put in, doubled, reordered or changed, even with a new signature', async t => {
  const attacker = await makeSigner();
  const pack = await makePack();
  const lines = (pack.files.get('events.jsonl')?.toString() ?? '').split('\n').slice(0, -1);
  const [first = '', second = '', ...others] = lines;
  const versions: [string[], RegExp][] = [
    [[first, ...others], /^proofs: log\/proofs\.jsonl 2: is of no event of the pack/],
    [[first, second, second, ...others], /^events: events\.jsonl 3: .*chain_seq has to rise/],
    [[second, first, ...others], /^events: events\.jsonl 2: .*chain_seq has to rise/],
    [[first.replaceAll('48000', '48'), second, ...others], /^events: events\.jsonl 1: event_digest is not/],
    [[first.replace('"settled","amount"', '"failed","amount"'), second, ...others], /events\.jsonl 1: payment is not/],
    [[...lines, first.replaceAll(/"chain_seq":1\b/g, '"chain_seq":12')], /jsonl 6: leaf_hash is not that/],
  ];
  for (const [changed, expected] of versions) {
    const files = withFile(pack.files, 'events.jsonl', Buffer.from(changed.map(line => `${line}\n`).join('')));
    const result = await checked(t, await resigned({ ...pack, files, signer: attacker }, pack));
    t.true(
      failuresOf(result).some(failure => expected.test(failure)),
      `${expected} in ${failuresOf(result).join('\n')}`,
    );
    t.true(failuresOf(result).includes('key: manifest.json: is not signed with a trusted key'));
  }
});

/** The files listed anew, and signed by whoever has changed them. */
async function resigned({ files, signer }: TestPack, { keys }: Pick<TestPack, 'keys'>): Promise<TestPack> {
  const content = [...files].filter(([name]) => !name.startsWith('manifest.'));
  const listed = content.map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256(bytes).toString('hex') }));
  const manifest = { ...JSON.parse(files.get('manifest.json')?.toString() ?? ''), files: listed };
  const known = JSON.parse(files.get('log/keys.json')?.toString() ?? '');
  const keyring = Buffer.from(JSON.stringify({ keys: [...known.keys, signer.jwk] }));
  const own = listed.map(file =>
    file.path === 'log/keys.json' ? { ...file, size: keyring.length, sha256: sha256(keyring).toString('hex') } : file,
  );
  const all = withFile(new Map(content), 'log/keys.json', keyring);
  return { ...(await sign(all, Buffer.from(JSON.stringify({ ...manifest, files: own })), signer)), keys };
}
