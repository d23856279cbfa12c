import { sign } from 'node:crypto';
import test from 'ava';
import { checkpointText, readCheckpointText } from '#shared/ledger/checkpoint_text.ts';
import { keyId, openNote, signNote } from '#shared/ledger/signed_note.ts';
import { ed25519PrivateKey } from '#shared/settings/log_signing_key_setting.ts';

// The key and the note that golang.org/x/mod/sumdb/note is tested with; the bytes after the first, which names the algorithm.
const name = 'PeterNeumann';
const public_key = Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64').subarray(1);
const private_key = ed25519PrivateKey(
  Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1),
);
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const signature =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const note = `${text}\n${signature}`;
const key = { name, public_key, sign: (bytes: Uint8Array) => sign(null, bytes, private_key) };

test('a note is signed to the byte as other implementations do', t => {
  t.is(keyId(key).toString('hex'), 'c74f20a3');
  t.is(signNote(text, key), note);
  t.deepEqual(openNote(note, [key]), { text, key });
});

test('a note is read with the signatures of others on it', t => {
  const other = '— witness.example.com/w1 AAAAAAECAwQFBgcICQ==\n';
  for (const signed of [
    `${text}\n${other}${signature}`,
    `${text}\n${signature}${other}`,
    `${text}\n${signature}${signature}`,
  ])
    t.is(openNote(signed, [key])?.text, text);
  t.is(openNote(`${text}\n${other}`, [key]), null, 'nobody who is known signed it');
  const inner = `${text}\n— not a signature, but text\n`;
  t.is(openNote(signNote(inner, key), [key])?.text, inner, 'the signatures come after the last empty line');
});

test('a note that was changed, or is none, is not read', t => {
  const wrong = [
    '',
    text,
    `\n${signature}`,
    note.replace('cryptography', 'cryptographY'),
    note.slice(0, -1),
    `${note}\n`,
    `${note}x`,
    note.replace('\n\n', '\n'),
    note.replace('— ', '- '),
    note.replace('— ', '—'),
    note.replace('x08go', 'x08gp'),
    note.replace('PeterNeumann x', 'PeterNeumann  x'),
    note.replace('JnAM=', 'JnAM'),
    note.replace('JnAM=', 'JnAN='),
    `${text}\n— PeterNeumann xA==\n${signature}`,
    `${text}\0\n${signature}`,
    `${text}\n${signature.repeat(101)}`,
    `${text}\n— PeterNeumann ${Buffer.concat([keyId(key), Buffer.alloc(64)]).toString('base64')}\n${signature}`,
  ];
  for (const each of wrong) t.is(openNote(each, [key]), null, JSON.stringify(each));
  t.is(openNote(note, [{ ...key, name: 'PeterNeuman' }]), null);
  t.is(openNote(note, []), null);
});

test('the text of a checkpoint is three lines, and others are none', t => {
  const statement = { origin: 'log.example.com/org/sandbox', size: 2 ** 40, root: Buffer.alloc(32, 1) };
  const written = checkpointText(statement);
  t.is(written, `log.example.com/org/sandbox\n1099511627776\n${statement.root.toString('base64')}\n`);
  t.deepEqual(readCheckpointText(written), statement);
  t.deepEqual(readCheckpointText(`${written}more\nlines\n`), statement);
  for (const wrong of [
    '',
    written.slice(0, -1),
    written.replace('\n1', '\n01'),
    written.replace('\n1', '\n-1'),
    written.replace('1099511627776', '10995116277760000'),
    written.replace('=', ''),
    written.replace('AQ', 'A'),
    `\n${written}`,
    `${written}\n`,
  ])
    t.is(readCheckpointText(wrong), null, JSON.stringify(wrong));
});
