import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { LogKey } from '#shared/ledger/signing_keys.ts';
import { createSignatureCheck } from '#shared/ledger/statements.ts';
import type { LogArchive } from './archives.ts';
import { DamagedArchive, type OpenArchive } from './open_archive.ts';

const Manifest = z.object({
  environment: z.string(),
  log: z.object({
    from_seq: z.int(),
    to_seq: z.int(),
    size: z.int(),
    root_hash: z.string(),
    leaves_digest: z.string(),
  }),
  counts: z.object({ runs: z.int(), evaluations: z.int(), evidence_values: z.int(), erasures: z.int() }),
  files: z.array(z.object({ path: z.string(), sha256: z.string() })),
});

const required_files = ['events.ndjson', 'log/tiles.ndjson', 'log/checkpoint', 'log/keys.json'];

/**
 * Checks that one of these keys signed the manifest of an archive, that it matches the archive's record, and that each file has the SHA-256
 * in it. Throws `DamagedArchive`.
 */
export async function checkManifest(
  opened: OpenArchive,
  { environment }: Tenant,
  archive: LogArchive,
  keys: readonly LogKey[],
): Promise<void> {
  const bytes = await opened.bytes('manifest.json');
  const [header = '', payload, signature = ''] = (await opened.bytes('manifest.jws')).toString().split('.');
  const jws = `${header}.${bytes.toString('base64url')}.${signature}`;
  if (payload !== '' || !createSignatureCheck(keys)(jws))
    throw new DamagedArchive(`The manifest of ${archive.file} is not one that this deployment signed.`);
  const { log, counts, files, ...of } = Manifest.parse(JSON.parse(bytes.toString()));
  const isOfThis =
    of.environment === environment &&
    log.from_seq === archive.from_seq &&
    log.to_seq === archive.to_seq &&
    log.size === archive.checkpoint_size &&
    log.root_hash === archive.root_hash &&
    log.leaves_digest === archive.leaves_digest &&
    counts.runs === archive.runs &&
    counts.evaluations === archive.evaluations &&
    counts.evidence_values === archive.evidence_values &&
    counts.erasures === archive.erasures;
  if (!isOfThis) throw new DamagedArchive(`The manifest of ${archive.file} is that of another.`);
  for (const path of required_files)
    if (files.find(file => file.path === path)?.sha256 !== (await opened.sha256(path)))
      throw new DamagedArchive(`${path} in ${archive.file} is not what the manifest names.`);
}
