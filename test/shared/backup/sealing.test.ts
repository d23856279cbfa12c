import { randomBytes } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { createOpening, createSealing, openUnder, SEALED, SEALED_HEAD, sealUnder } from '#shared/backup/sealing.ts';

const key = randomBytes(32);
const head = Buffer.concat([SEALED, randomBytes(16)]);

const through = (bytes: Buffer, stream: Transform) =>
  buffer(Readable.from([bytes], { objectMode: false }).pipe(stream));
const seal = (plain: Buffer) => through(plain, sealUnder(key, head));
const open = (sealed: Buffer, given = key) => through(sealed.subarray(SEALED_HEAD), openUnder(given, head));

test('what is sealed opens again, whatever its size', async t => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]) {
    const plain = randomBytes(size);
    const sealed = await seal(plain);
    t.true(sealed.subarray(0, SEALED.length).equals(SEALED));
    t.true((await open(sealed)).equals(plain), String(size));
  }
});

test('a byte that was changed, and frames that were cut off or moved, are found', async t => {
  const frame = 65_536 + 16;
  const sealed = await seal(randomBytes(200_000));
  const changed = Buffer.from(sealed);
  changed[SEALED_HEAD + frame + 5] = (changed[SEALED_HEAD + frame + 5] ?? 0) ^ 1;
  const [first, second] = [
    sealed.subarray(SEALED_HEAD, SEALED_HEAD + frame),
    sealed.subarray(SEALED_HEAD + frame, SEALED_HEAD + 2 * frame),
  ];
  const rest = sealed.subarray(SEALED_HEAD + 2 * frame);
  for (const [what, bytes] of [
    ['changed', changed],
    ['cut at a frame', sealed.subarray(0, SEALED_HEAD + 2 * frame)],
    ['cut within a frame', sealed.subarray(0, sealed.length - 1)],
    ['moved', Buffer.concat([head, second, first, rest])],
    ['left out', Buffer.concat([head, first, rest])],
    ['nothing but a head', head],
  ] as const)
    await t.throwsAsync(open(bytes), { message: /damaged/ }, what);
});

test('another passphrase opens nothing', async t => {
  const sealed = await through(Buffer.from('some'), await createSealing('correct horse battery staple'));
  const openWith = async (passphrase: string) =>
    through(sealed.subarray(SEALED_HEAD), await createOpening(passphrase, sealed.subarray(0, SEALED_HEAD)));
  t.is((await openWith('correct horse battery staple')).toString(), 'some');
  await t.throwsAsync(openWith('correct horse battery stable'), { message: /does not open with this passphrase/ });
});
