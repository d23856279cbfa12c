import test from 'ava';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { type Contents, makeCheckpoint, makeSigner, sha256 } from '#test/helpers/pack_contents.ts';
import { makePack } from '#test/helpers/pack_zip.ts';
import { checked, failuresOf } from '#test/helpers/verify_pack.ts';

// Packs that were wrongly made, and signed with the right key all the same.

type Tell = (contents: Contents) => void;

/** What is told wrongly, and the failure that says so; the key is trusted and every hash of the manifest is right. */
const wrong: Record<string, [tell: Tell, failure: string]> = {
  'an event shown with another type than was logged': [
    ({ events: [event] }) => Object.assign(event ?? {}, { type: 'payment.failed' }),
    'events: events.jsonl 1: type is not what was logged',
  ],
  'an event shown with another payee than was logged': [
    ({ events: [event] }) => Object.assign(event?.['payment'].payee, { name: 'Hotel Bellevue' }),
    'events: events.jsonl 1: payment is not what was logged',
  ],
  'an event shown with another amount than was logged': [
    ({ events: [event] }) => Object.assign(event?.['payment'].amount, { value: '1' }),
    'events: events.jsonl 1: payment is not what was logged',
  ],
  'an event shown with less evidence than was logged': [
    ({ events: [event] }) => Object.assign(event ?? {}, { evidence_count: 0 }),
    'events: events.jsonl 1: evidence_count is not what was logged',
  ],
  'an event shown as of another agent than was logged': [
    ({ events: [event] }) => Object.assign(event?.['agent'], { external_id: 'somebody else' }),
    'events: events.jsonl 1: agent.external_id is not what was logged',
  ],
  'an event shown as of another owner than was logged': [
    ({ events: [event] }) => Object.assign(event ?? {}, { owner_id: 'own_x', owner: { id: 'own_x' } }),
    'events: events.jsonl 1: owner_id is not what was logged',
  ],
  'an event of another environment': [
    ({ events: [event] }) => Object.assign(event ?? {}, { environment: 'production' }),
    'events: events.jsonl 1: environment is not what was logged',
  ],
  'an input that was changed after it was logged': [
    ({ events: [event] }) => Object.assign(event?.['input'], { description: 'added' }),
    'events: events.jsonl 1: event_digest is not the SHA-256 of input',
  ],
  'an event that is said to have arrived at another time': [
    ({ events: [event] }) => Object.assign(event ?? {}, { received_at: '2026-11-20T09:00:02.000Z' }),
    'events: events.jsonl 1: leaf_hash is not that of chain_seq, received_at and event_digest',
  ],
  'a leaf that is none of the log': [
    ({ events: [event], proofs: [proof] }) => {
      const { input, chain_seq, received_at } = event as { input: object; chain_seq: number; received_at: string };
      Object.assign(input, { description: 'changed' });
      const event_digest = sha256(canonicalJson(input)).toString('hex');
      const leaf = canonicalJson({ v: 1, seq: chain_seq, received_at, event_digest });
      const leaf_hash = sha256('\0', leaf).toString('hex');
      Object.assign(event ?? {}, { event_digest, leaf_hash });
      Object.assign(proof ?? {}, { leaf_hash });
    },
    'proofs: log/proofs.jsonl 1: does not lead from the event to the root hash of the checkpoint',
  ],
  'the proof of another leaf': [
    ({ proofs: [first, second] }) => Object.assign(first ?? {}, { hashes: second?.['hashes'] }),
    'proofs: log/proofs.jsonl 1: does not lead from the event to the root hash of the checkpoint',
  ],
  'a proof that is longer than the tree is high': [
    ({ proofs: [proof] }) => proof?.['hashes'].push('0'.repeat(64)),
    'proofs: log/proofs.jsonl 1: does not lead from the event to the root hash of the checkpoint',
  ],
  'a proof that is shorter than the tree is high': [
    ({ proofs: [proof] }) => proof?.['hashes'].pop(),
    'proofs: log/proofs.jsonl 1: does not lead from the event to the root hash of the checkpoint',
  ],
  'an event without a proof': [
    ({ proofs }) => proofs.splice(1, 1),
    'proofs: log/proofs.jsonl: has no proof of the event evt_01M7W819QAN7QFECMNE6000003',
  ],
  'a proof of no event': [
    ({ proofs }) => proofs.push({ ...proofs[0], chain_seq: 99 }),
    'proofs: log/proofs.jsonl 6: is of no event of the pack, or out of order',
  ],
  'an event beyond the checkpoint': [
    ({ manifest }) => Object.assign(manifest['log'], { size: 3 }),
    'proofs: log/proofs.jsonl 3: is of an event beyond the 3 of the checkpoint',
  ],
  'a log of another organization': [
    ({ manifest }) => Object.assign(manifest['organization'], { id: 'org_other' }),
    'manifest: manifest.json: is not as the format says: log.origin',
  ],
  'a log of another environment': [
    ({ manifest }) => Object.assign(manifest, { environment: 'production' }),
    'manifest: manifest.json: is not as the format says: log.origin',
  ],
  'a checkpoint of another size': [
    ({ manifest }) => Object.assign(manifest['log'], { size: 11 }),
    "checkpoint: log/checkpoint: has another size than the manifest's",
  ],
  'a checkpoint of another tree': [
    ({ manifest }) => Object.assign(manifest['log'], { root_hash: 'a'.repeat(64) }),
    "checkpoint: log/checkpoint: has another root hash than the manifest's",
  ],
  'a value that is not the one that was logged': [
    ({ evidence: [piece] }) => Object.assign(piece ?? {}, { value: 'something else' }),
    'evidence: evidence.jsonl 1: sha256 is not that of value',
  ],
  'a value with a hash of its own': [
    ({ evidence: [piece] }) => Object.assign(piece ?? {}, { value: 'other', sha256: sha256('other').toString('hex') }),
    'evidence: evidence.jsonl 1: sha256 is not what was logged',
  ],
  'a value in base64 that is not base64': [
    ({ evidence }) => Object.assign(evidence[2] ?? {}, { value: 'AP8C=' }),
    'evidence: evidence.jsonl 3: value is not what encoding says',
  ],
  'evidence that is left out': [
    ({ evidence, manifest }) => {
      evidence.splice(1, 1);
      manifest['counts'].evidence -= 1;
    },
    'evidence: evidence.jsonl: has 1 of the 2 pieces of the event evt_01M7W819QAN7QFECMNE6000005',
  ],
  'evidence that the event did not come with': [
    ({ evidence }) => evidence.splice(1, 0, { ...evidence[0], position: 1, id: 'evd_more' }),
    'evidence: evidence.jsonl 2: is more than the event came with',
  ],
  'evidence of another kind than was logged': [
    ({ evidence: [piece] }) => Object.assign(piece ?? {}, { kind: 'x402.receipt' }),
    'evidence: evidence.jsonl 1: kind is not what was logged',
  ],
  'evidence with a label that was not logged': [
    ({ evidence: [piece] }) => Object.assign(piece ?? {}, { label: 'Approved' }),
    'evidence: evidence.jsonl 1: label is not what was logged',
  ],
  'evidence that was redacted though nobody asked for it': [
    ({ evidence: [piece] }) => Object.assign(piece ?? {}, { value: null, withheld: 'redacted' }),
    'evidence: evidence.jsonl 1: is redacted, and its kind was not to be',
  ],
  'evidence that is withheld and shown': [
    ({ evidence }) => Object.assign(evidence[4] ?? {}, { value: 'a note' }),
    'evidence: evidence.jsonl 5: is withheld, and has a value',
  ],
  'a run on another event than it says': [
    ({ verifications: [run] }) => Object.assign(run?.['inputs'], { event_digest: 'b'.repeat(64) }),
    'verifications: verifications.json 2: inputs.event_digest is not that of its event',
  ],
  'a run on other evidence than it says': [
    ({ verifications: [run] }) => Object.assign(run?.['inputs'], { evidence_sha256: 'b'.repeat(64) }),
    'verifications: verifications.json 2: inputs.evidence_sha256 is not that of its evidence',
  ],
  'a run on evidence of another event': [
    ({ verifications: [run], evidence }) => Object.assign(run ?? {}, { evidence_id: evidence[1]?.['id'] }),
    'verifications: verifications.json 2: is of no evidence of its event',
  ],
  'a run on an event that is not in the pack': [
    ({ verifications: [run] }) => Object.assign(run ?? {}, { event_id: 'evt_none' }),
    'verifications: verifications.json 2: is of no event of the pack',
  ],
  'a run that says nothing of itself': [
    ({ verifications }) => (verifications[0] = { superseded: true }),
    'verifications: verifications.json 2: is of no event of the pack',
  ],
  'an evaluation that says nothing of itself': [
    ({ evaluations }) => (evaluations[0] = { superseded: true }),
    'evaluations: evaluations.json 2: is of no event of the pack',
  ],
  'two runs on the same that both stand': [
    ({ verifications: [run] }) => Object.assign(run ?? {}, { superseded: false }),
    'verifications: verifications.json 3: comes after one on the same that is not superseded',
  ],
  'a superseded run that nothing follows': [
    ({ verifications }) => Object.assign(verifications[2] ?? {}, { superseded: true }),
    'verifications: verifications.json 4: is superseded, and nothing comes after it',
  ],
  'an evaluation by a version that is not in the pack': [
    ({ evaluations: [evaluation] }) => Object.assign(evaluation ?? {}, { version: 7 }),
    'evaluations: evaluations.json 2: is by a mandate or a version that mandates.json does not have',
  ],
  'an evaluation of no event of the pack': [
    ({ evaluations: [evaluation] }) => Object.assign(evaluation ?? {}, { event_id: 'evt_none' }),
    'evaluations: evaluations.json 2: is of no event of the pack',
  ],
  'a count that is not what is there': [
    ({ manifest }) => Object.assign(manifest['counts'], { alerts: 0 }),
    'counts: manifest.json: counts.alerts is not 1, as found',
  ],
};

for (const [title, [tell, failure]] of Object.entries(wrong))
  test(`found in a pack that is signed: ${title}`, async t => {
    const failures = failuresOf(await checked(t, await makePack({ tell })));
    t.true(failures.includes(failure), failures.join('\n'));
  });

test('a checkpoint is signed by a trusted key, and may be by others', async t => {
  const [signer, witness] = [await makeSigner(), await makeSigner()];
  const others = (change: (note: string) => string) =>
    makePack({ signer, tell: contents => (contents.checkpoint = change(contents.checkpoint)) });
  const cosigned = (note: string) => {
    const [origin = '', size, root = ''] = note.split('\n');
    const other = makeCheckpoint(witness, origin, Number(size), Buffer.from(root, 'base64'));
    return note + other.slice(other.indexOf('— ')).replace(origin, 'witness.example');
  };
  t.deepEqual(failuresOf(await checked(t, await others(cosigned))), []);
  const unsound = {
    unsigned: (note: string) => note.slice(0, note.indexOf('— ')),
    'signed by others only': (note: string) => cosigned(note).replace(/— oversight.*\n/, ''),
    'with a line more': (note: string) => note.replace('\n\n', '\nmore\n\n'),
    'with a carriage return': (note: string) => note.replace('\n', '\r\n'),
    'with a size that has a zero before it': (note: string) => note.replace('\n10\n', '\n010\n'),
    'with another signature': (note: string) => note.replace(/.(?=.{9}\n$)/, unit => (unit === 'A' ? 'B' : 'A')),
    'with something after it': (note: string) => `${note}\n`,
  };
  for (const [title, change] of Object.entries(unsound)) {
    const failures = failuresOf(await checked(t, await others(change)));
    t.true(
      failures.some(failure => failure.startsWith('checkpoint: log/checkpoint: ')),
      `${title}: ${failures}`,
    );
  }
});

test('files of records have one record a line, and nothing else', async t => {
  const unsound: [name: string, change: (text: string) => string, failure: string][] = [
    ['events.jsonl', text => text.trimEnd(), 'does not end with a newline'],
    ['events.jsonl', text => `\n${text}`, '1: is not one JSON object'],
    ['events.jsonl', text => `\ufeff${text}`, '1: is not one JSON object'],
    ['evidence.jsonl', text => `[]\n${text}`, '1: is not one JSON object'],
    ['log/proofs.jsonl', text => text.replace('}\n{', '}{'), '1: is not one JSON object'],
    ['alerts.json', () => '[]', 'does not end with a newline'],
    ['alerts.json', () => '[]\n', '1: is out of place'],
    ['alerts.json', () => '[\n', 'is an array without an end'],
    ['alerts.json', () => '', 'is an array without an end'],
    ['alerts.json', text => text.replace('\n]', ',\n]'), '3: is out of place'],
    ['alerts.json', text => `${text}{}\n`, '4: is out of place'],
    ['alerts.json', text => text.replace('\n]', '\n{}\n]'), '3: is out of place'],
    ['alerts.json', text => text.replace('\n]', ',\n1\n]'), '3: is not one JSON object'],
    ['case.json', () => '[]\n', 'is neither null nor a JSON object'],
    ['log/keys.json', () => '{}\n', 'is not a JWKS'],
    ['events.jsonl', () => `${'['.repeat(5_000_000)}\n`, '1: is not one JSON object'],
    ['events.jsonl', () => `"${'x'.repeat(9_000_000)}"\n`, '1: is not UTF-8 text of at most'],
  ];
  for (const [name, change, failure] of unsound) {
    const write = (files: Map<string, Buffer>) =>
      void files.set(name, Buffer.from(change(files.get(name)?.toString() ?? '')));
    const failures = failuresOf(await checked(t, await makePack({ write })));
    t.true(
      failures.some(found => found.includes(name) && found.includes(failure)),
      `${failure}: ${failures}`,
    );
  }
});

test('JSON that two readers would understand differently is refused', async t => {
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  for (const [value, failure] of [
    [deep(100), 'is nested more than 64 levels deep'],
    ['\ud800', 'has half of a surrogate pair'],
    [{ '\udfff': 1 }, 'has half of a surrogate pair'],
  ] as const) {
    const tell: Tell = ({ evidence: [piece] }) => Object.assign(piece ?? {}, { value });
    const failures = failuresOf(await checked(t, await makePack({ tell })));
    t.true(failures.includes(`evidence: evidence.jsonl 1: ${failure}`), failures.join('\n'));
  }
});

test('a manifest that is not as the format says is named, and never believed', async t => {
  const changes: Tell[] = [
    ({ manifest }) => (manifest['format'] = 'agent-payment-oversight-pack/2'),
    ({ manifest }) => (manifest['files'] = []),
    ({ manifest }) => (manifest['files'] = [null]),
    ({ manifest }) => (manifest['files'] = [{ path: '../x', size: 1, sha256: 'a'.repeat(64) }]),
    ({ manifest }) => (manifest['files'] = Array.from({ length: 1_001 }, () => ({}))),
    ({ manifest }) => (manifest['pack'] = null),
    ({ manifest }) => (manifest['log'].size = -1),
    ({ manifest }) => (manifest['log'].size = '10'),
    ({ manifest }) => (manifest['log'].origin = 7),
    ({ manifest }) => (manifest['counts'] = 3),
    ({ manifest }) => delete manifest['organization'],
  ];
  for (const tell of changes) {
    const result = await checked(t, await makePack({ tell: contents => void tell(contents) }));
    t.is(result.verdict, 'failed');
    t.regex(failuresOf(result).join('\n'), /manifest\.json|\.\.\/x: is/);
  }
});
