import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FlattenedSign, type JWK } from 'jose';
import ZipStream from 'zip-stream';
import { type Contents, makeContents, makeSigner, sha256, type Signer } from './pack_contents.ts';

export type TestPack = { files: Map<string, Buffer>; keys: { keys: JWK[] }; signer: Signer };

type Options = {
  /** How many events, 5 when left out. */
  events?: number;
  signer?: Signer;
  /** Changes what is told, before it is written. */
  tell?: (contents: Contents) => void;
  /** Changes files, before the manifest lists them. */
  write?: (files: Map<string, Buffer>) => void;
};

/** A sound pack, unless it is changed before it is signed; `keys` is what an auditor would trust. */
export async function makePack({ events = 5, signer, tell, write }: Options = {}): Promise<TestPack> {
  const by = signer ?? (await makeSigner());
  const contents = makeContents(by, events);
  tell?.(contents);
  const files = new Map<string, Buffer>();
  const add = (name: string, text: string) => files.set(name, Buffer.from(text));
  add('events.jsonl', lines(contents.events));
  add('evidence.jsonl', lines(contents.evidence));
  for (const name of ['verifications', 'mandates', 'evaluations', 'alerts', 'screenings'] as const)
    add(`${name}.json`, array(contents[name]));
  add('case.json', `${JSON.stringify(contents.case, null, 2)}\n`);
  add('log/checkpoint', contents.checkpoint);
  add('log/proofs.jsonl', lines(contents.proofs));
  add('log/keys.json', `${JSON.stringify({ keys: [{ ...by.jwk, kid: 'a name that nobody may rely on' }] })}\n`);
  add('report.html', '<!doctype html><title>Report</title>\n');
  add('report.pdf', '%PDF-1.7\n');
  add('verify.mjs', '// the program as it was then\n');
  write?.(files);
  const listed = [...files].map(([path, bytes]) => ({
    path,
    size: bytes.length,
    sha256: sha256(bytes).toString('hex'),
  }));
  const manifest = { ...contents.manifest, files: contents.manifest['files'] ?? listed };
  return sign(files, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), by);
}

/** Adds a manifest of any bytes, and its signature. */
export async function sign(files: Map<string, Buffer>, manifest: Buffer, signer: Signer): Promise<TestPack> {
  const header = { alg: 'EdDSA', kid: signer.kid };
  const jws = await new FlattenedSign(manifest).setProtectedHeader(header).sign(signer.private_key);
  files.set('manifest.json', manifest);
  files.set('manifest.jws', Buffer.from(`${jws.protected}..${jws.signature}`));
  return { files, keys: { keys: [signer.jwk] }, signer };
}

/** The files in a ZIP, as the service writes one. */
export async function zipped(files: Map<string, Buffer>, options: { level?: number; forceZip64?: boolean } = {}) {
  const zip = new ZipStream(options);
  const bytes = buffer(zip);
  for (const [name, content] of files)
    await new Promise<void>((resolve, reject) => {
      const data = { name, date: new Date('2026-11-20T10:00:00Z'), mode: 0o644 };
      zip.entry(Readable.from([content]), data, error => (error ? reject(error) : resolve()));
    });
  zip.finish();
  return bytes;
}

const lines = (items: unknown[]) => items.map(item => `${JSON.stringify(item)}\n`).join('');
const array = (items: unknown[]) =>
  items.length === 0 ? '[\n]\n' : `[\n${items.map(item => JSON.stringify(item)).join(',\n')}\n]\n`;
