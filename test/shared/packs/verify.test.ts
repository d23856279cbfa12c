import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { verifier } from '#shared/packs/verifier.ts';
import { verifyPack } from '#shared/packs/verify.mjs';
import { makeSigner } from '#test/helpers/pack_contents.ts';
import { makePack, zipped } from '#test/helpers/pack_zip.ts';
import { checked, desk, failuresOf, run, unpacked, verified } from '#test/helpers/verify_pack.ts';

const program = fileURLToPath(import.meta.resolve('#shared/packs/verify.mjs'));
const command = join(dirname(program), '../../bin/verify-pack');

test('a pack is verified in its ZIP, stored or compressed, with or without ZIP64, and unpacked', async t => {
  const { files, keys } = await makePack();
  for (const options of [{}, { level: 0 }, { level: 9 }, { forceZip64: true }])
    t.like(await verified(t, await zipped(files, options), keys), { ok: true, verdict: 'verified' });
  const result = await verifyPack(await unpacked(t, files), { keys });
  t.true(result.ok);
  t.deepEqual(
    result.checks.map(check => check.result),
    result.checks.map(() => 'pass'),
  );
});

test('a single key is as good as a set of keys', async t => {
  const pack = await makePack();
  const other = await makeSigner();
  const keys = { keys: [{ kty: 'EC', crv: 'P-256' }, other.jwk, { ...pack.signer.jwk, kid: other.kid }] };
  t.true((await checked(t, { ...pack, keys })).ok);
  t.true((await verified(t, await zipped(pack.files), pack.signer.jwk)).ok);
});

test('packs of any number of events are verified, and of none', async t => {
  for (const events of [1, 2, 3, 4, 8, 9, 33])
    t.deepEqual(failuresOf(await checked(t, await makePack({ events }))), [], `${events} events`);
  const none = await makePack({
    tell: contents => {
      for (const name of ['events', 'evidence', 'proofs', 'verifications', 'evaluations'] as const) contents[name] = [];
      contents.case = null;
      Object.assign(contents.manifest['counts'], { events: 0, evidence: 0, verifications: 0, evaluations: 0 });
    },
  });
  t.deepEqual(failuresOf(await checked(t, none)), []);
});

test('without trusted keys a sound pack is unproven, and says where to get them', async t => {
  const { files } = await makePack();
  const zip = await zipped(files);
  const result = await verified(t, zip);
  t.like(result, { ok: false, verdict: 'unproven' });
  t.deepEqual(failuresOf(result), ['key: log/keys.json: is unproven, as no trusted keys were given']);
  const path = join(await desk(t), 'pack.zip');
  await writeFile(path, zip);
  const { code, stdout } = await run([program, path]);
  t.is(code, 1);
  t.regex(stdout, /NOT VERIFIED: .* unproven/);
  t.regex(stdout, /GET \/v1\/keys\.json/);
});

test('a pack signed with a key that is not trusted is not verified', async t => {
  const pack = await makePack();
  const stranger = await makeSigner();
  const result = await checked(t, { ...pack, keys: { keys: [stranger.jwk] } });
  t.is(result.verdict, 'failed');
  t.deepEqual(failuresOf(result), ['key: manifest.json: is not signed with a trusted key']);
});

test('keys that hold no Ed25519 public key are refused', async t => {
  for (const keys of [null, {}, { keys: [] }, { keys: 'x' }, { kty: 'OKP', crv: 'Ed25519', x: 'AA' }, [], 'text'])
    await t.throwsAsync(verifyPack('.', { keys }), { message: /no Ed25519 public key/ });
});

test('the program exits with 0 for a verified pack alone, and names its file, its folder or nothing', async t => {
  const { files, keys } = await makePack();
  const folder = await unpacked(t, files);
  const other = await desk(t);
  await writeFile(join(other, 'keys.json'), JSON.stringify(keys));
  await writeFile(join(other, 'pack.zip'), await zipped(files));
  const trusting = ['--keys', join(other, 'keys.json')];
  t.is((await run([program, ...trusting, join(other, 'pack.zip')])).code, 0);
  t.is((await run([program, ...trusting, folder])).code, 0);
  t.is((await run([program, ...trusting], { cwd: folder })).code, 0);
  t.is((await run([command, ...trusting, folder])).code, 0);
  await copyFile(program, join(folder, 'own.mjs'));
  const { code, stdout } = await run([join(folder, 'own.mjs'), ...trusting], { cwd: other });
  t.is(code, 1);
  t.regex(stdout, /own\.mjs: is not listed in manifest\.json/);
  for (const args of [['--keys'], ['--keys', 'none.json', folder], ['--key', 'x'], ['none.zip'], [folder, folder]])
    t.is((await run([program, ...args], { cwd: other })).code, 1, args.join(' '));
});

test('the program runs on the Node of the machine too, which may be older than the project brings', async t => {
  const { files, keys } = await makePack();
  const folder = await unpacked(t, files);
  const path = join(await desk(t), 'keys.json');
  await writeFile(path, JSON.stringify(keys));
  const elsewhere = (process.env['PATH'] ?? '').split(delimiter).filter(place => !place.includes('node_modules'));
  for (const node of elsewhere.map(place => join(place, 'node')).filter(existsSync)) {
    const { code, stdout } = await run([program, '--keys', path, folder], { node });
    t.is(code, 0, `${node}: ${stdout}`);
  }
  t.is((await run([program, '--keys', path, folder])).code, 0);
});

test('--json prints one document, also of what went wrong', async t => {
  const { files, keys } = await makePack();
  const folder = await unpacked(t, files);
  const path = join(await desk(t), 'keys.json');
  await writeFile(path, JSON.stringify(keys));
  const { stdout } = await run([program, '--json', '--keys', path, folder]);
  t.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(await verifyPack(folder, { keys }))));
  t.like(JSON.parse((await run([program, '--json', '--keys', 'none', folder])).stdout), { ok: false });
});

test('what a pack says cannot steer a terminal, nor draw lines of its own', async t => {
  const title = `\u001b[2J\u009b1mVERIFIED\r\nPASS  key \u202egnp.exe\u2066\u200b${'x'.repeat(5_000)}`;
  const { files, keys } = await makePack({
    tell: ({ manifest, events }) => {
      manifest['pack'].title = title;
      manifest['organization'].name = '\u001b]0;owned\u0007';
      const [first] = events;
      if (first) first['id'] = `evt_\u001b[31m${'y'.repeat(5_000)}`;
    },
  });
  const folder = await unpacked(t, files);
  const path = join(await desk(t), 'keys.json');
  await writeFile(path, JSON.stringify(keys));
  const { code, stdout } = await run([program, '--keys', path, folder]);
  t.is(code, 1);
  t.notRegex(stdout, /[^\P{C}\n]/u);
  t.true(stdout.split('\n').every(line => line.length < 700));
  t.is(stdout.match(/^PASS {2}key/gm)?.length, 1);
  t.notRegex((await run([program, '--json', '--keys', path, folder])).stdout, /[^\n -~]/);
});

test('the published hash is that of the program', async t => {
  const published = await readFile(`${program}.sha256`, 'utf8');
  const bytes = await readFile(program);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  t.is(
    published,
    `${sha256}  verify.mjs\n`,
    'after a change: cd shared/packs && sha256sum verify.mjs > verify.mjs.sha256',
  );
  t.deepEqual(verifier, { bytes, sha256 });
});

test('20,000 events are checked one after the other', async t => {
  const pack = await makePack({ events: 20_000 });
  t.deepEqual(failuresOf(await checked(t, pack)), []);
});
