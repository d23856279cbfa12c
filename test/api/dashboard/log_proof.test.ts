import test from 'ava';
import { checkProof } from '#api/dashboard/browser/pages/events/log_proof.ts';
import { signedLog } from '#test/helpers/signed_log.ts';

const evidence = [
  { kind: 'acme.note', value: 'tëxt' },
  { kind: 'acme.bytes', value: '/+8A', encoding: 'base64' },
  { kind: 'acme.object', value: { b: [1, null], a: '\u20ac' } },
];

/** What the page of an event reads: the event, its proof and the keys. */
async function seen(t: Parameters<typeof signedLog>[0], events: number, index: number) {
  const { as, client, send, publish } = await signedLog(t);
  const ids = await send(events, { more: { evidence } });
  await publish();
  const event = (await as.get(`/v1/events/${ids[index]}`)).body;
  const proof = (await as.get(`/v1/log/proof?event_id=${ids[index]}`)).body;
  const { keys } = (await client().get('/v1/keys.json')).body;
  return { event, proof, keys };
}

const failing = (steps: Awaited<ReturnType<typeof checkProof>>) =>
  steps.flatMap(({ name, holds }) => (holds ? [] : [name]));

test('the page of an event computes that it is in the log, wherever it stands in it', async t => {
  const { as, client, send, publish } = await signedLog(t);
  const ids = await send(11, { more: { evidence } });
  await publish();
  const { keys } = (await client().get('/v1/keys.json')).body;
  for (const id of ids) {
    const event = (await as.get(`/v1/events/${id}`)).body;
    const proof = (await as.get(`/v1/log/proof?event_id=${id}`)).body;
    t.deepEqual(failing(await checkProof(event, proof, keys)), []);
  }
});

test('an event that is shown otherwise than it was logged does not fit its leaf', async t => {
  const { event, proof, keys } = await seen(t, 3, 1);
  const other = { ...event, input: { ...event.input, description: 'nothing to see' } };
  t.deepEqual(failing(await checkProof(other, proof, keys)), ['event']);
  t.deepEqual(failing(await checkProof({ ...event, chain_seq: 1 }, proof, keys)), ['event']);
  t.deepEqual(failing(await checkProof({ ...event, received_at: event.occurred_at }, proof, keys)), ['event']);
});

test('evidence that is shown otherwise than it was sent, or left out, does not fit the event', async t => {
  const { event, proof, keys } = await seen(t, 1, 0);
  const [first, ...others] = event.evidence;
  for (const shown of [
    others,
    [{ ...first, value: 'text' }, ...others],
    [{ ...first, sha256: '0'.repeat(64) }, ...others],
  ])
    t.deepEqual(failing(await checkProof({ ...event, evidence: shown }, proof, keys)), ['evidence']);
  const erased = [{ ...first, value: null }, ...others];
  t.deepEqual(failing(await checkProof({ ...event, evidence: erased }, proof, keys)), []);
});

test('a proof that was tampered with says which step of it does not hold', async t => {
  const { event, proof, keys } = await seen(t, 5, 2);
  const [first, ...rest] = proof.hashes;
  const { checkpoint } = proof;
  const zeros = '0'.repeat(64);
  const check = async (changed: object) => failing(await checkProof(event, { ...proof, ...changed }, keys));
  t.deepEqual(await check({ leaf_hash: zeros }), ['leaf']);
  t.deepEqual(await check({ hashes: [zeros, ...rest] }), ['path']);
  t.deepEqual(await check({ hashes: rest }), ['path']);
  t.deepEqual(await check({ hashes: [first, ...proof.hashes] }), ['path']);
  t.deepEqual(await check({ checkpoint: { ...checkpoint, root_hash: zeros } }), ['path', 'root']);
  const note = checkpoint.note.replace('\n5\n', '\n6\n');
  t.deepEqual(await check({ checkpoint: { ...checkpoint, note } }), ['root', 'signature']);
});

test('a checkpoint that none of the published keys signed is not taken for signed', async t => {
  const { event, proof } = await seen(t, 1, 0);
  const other = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as never;
  t.deepEqual(failing(await checkProof(event, proof, [other])), ['signature']);
  t.deepEqual(failing(await checkProof(event, proof, [])), ['signature']);
});
