import { z } from 'zod';
import { Checkpoint } from '#shared/ledger/checkpoints.ts';
import { conflict } from '#shared/interface/errors.ts';
import { DamagedBackup } from './damaged.ts';

export const FORMAT = 'agent-payment-oversight-backup/1';

const File = z.object({ path: z.string(), size: z.int(), sha256: z.string() });

/** A log when it was backed up: its length, and its last checkpoint. */
const Log = z.object({
  org_id: z.string(),
  environment: z.string(),
  size: z.int(),
  checkpoint: Checkpoint.nullable(),
});
export type BackedUpLog = z.infer<typeof Log>;

/** `manifest.json`, the last file of a backup, lists its contents. `path`, `size` and `sha256` are of a file within the ZIP. */
export const BackupManifest = z.object({
  format: z.literal(FORMAT),
  /** The release that made it, and the last migration of its database. */
  version: z.string(),
  migration: z.string(),
  postgres: z.string(),
  created_at: z.string(),
  environment: z.string(),
  tables: z.array(File.extend({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
  /** Packs and exports, if kept in a folder; those in a bucket stay there. */
  files: z.array(File),
  files_apart: z.boolean(),
  /** Secrets of DATA_DIR; none if the backup is not encrypted. */
  secrets: z.array(File),
  logs: z.array(Log),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

const Heading = z.object({ format: z.string(), migration: z.string() });

/** Reads a manifest. Throws `conflict` when a newer version made the backup than one whose last migration is `newest`. */
export function readManifest(text: string, newest: string): BackupManifest {
  const heading = Heading.safeParse(parse(text)).data;
  if (!heading) throw new DamagedBackup('The file is no backup: its manifest is not one of a backup.');
  if (heading.format !== FORMAT || heading.migration > newest)
    throw conflict(
      `The backup was made by a newer version: its database is at migration ${heading.migration}, and this version knows none after ${newest}. Use the version that made it, or a newer one.`,
    );
  const { data, error } = BackupManifest.safeParse(parse(text));
  if (error) throw new DamagedBackup('The backup is damaged: its manifest is not whole.');
  return data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
