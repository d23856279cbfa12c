import test from 'ava';
import { type Contents, makeErasure, makeSigner } from '#test/helpers/pack_contents.ts';
import { makePack } from '#test/helpers/pack_zip.ts';
import { checked, failuresOf } from '#test/helpers/verify_pack.ts';

const signer = await makeSigner();

/** What is told wrongly of what was erased, and the failure that says so. */
const wrong: Record<string, [tell: (contents: Contents) => void, failure: string]> = {
  'a value that an erasure says was removed': [
    ({ evidence }) => Object.assign(evidence[4] ?? {}, { value: 'a note', withheld: null }),
    'evidence: evidence.jsonl 5: has a value, and an erasure says that it was removed',
  ],
  'an event of which something is missing though no erasure says so': [
    ({ events: [event] }) => delete event?.['input'].metadata,
    'events: events.jsonl 1: event_digest is not the SHA-256 of input',
  ],
  'an erased event of which something else is left': [
    ({ events }) => delete events[3]?.['input'].metadata,
    'events: events.jsonl 4: input is not what its erasure left of it',
  ],
  'an erasure of another event': [
    ({ events }) => Object.assign(events[2] ?? {}, { erasure: events[3]?.['erasure'] }),
    'events: events.jsonl 3: erasure is of another event',
  ],
  'an erasure that somebody else signed': [
    ({ events: [, , event] }) => {
      const { chain_seq, event_digest } = event ?? {};
      Object.assign(event ?? {}, { erasure: makeErasure(signer, { chain_seq, event_digest, evidence: [] }) });
    },
    `events: events.jsonl 3: erasure is signed with a key that is neither trusted nor in log/keys.json: ${signer.kid}`,
  ],
};

for (const [name, [tell, failure]] of Object.entries(wrong))
  test(`a pack with ${name} is not verified`, async t => {
    const failures = failuresOf(await checked(t, await makePack({ tell })));
    t.true(failures.includes(failure), failures.join('\n'));
  });
