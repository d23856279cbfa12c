import type { SigningKey } from '#shared/ledger/signing_keys.ts';
import type { Counts } from '#shared/packs/contents/write.ts';
import type { PackHeader } from './pack_files.ts';
import type { ZippedFile, ZipWriter } from './zip.ts';

type Manifest = { header: PackHeader; counts: Counts; files: readonly ZippedFile[]; key: SigningKey };

/** Ends a pack with its manifest, which names every file before it, and the manifest's signature. */
export async function writeManifest(zip: ZipWriter, { header, counts, files, key }: Manifest): Promise<void> {
  const manifest = Buffer.from(`${JSON.stringify({ format: FORMAT, ...header, counts, files }, null, 2)}\n`);
  await zip.add('manifest.json', [manifest]);
  await zip.add('manifest.jws', [detachedJws(key, manifest)]);
}

const FORMAT = 'agent-payment-oversight-pack/1';

/** A JWS (RFC 7515, Ed25519 by RFC 8037) in compact form without its payload (appendix F). */
function detachedJws({ kid, sign }: SigningKey, payload: Buffer): string {
  const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid })).toString('base64url');
  const signature = sign(Buffer.from(`${header}.${payload.toString('base64url')}`));
  return `${header}..${signature.toString('base64url')}`;
}
