import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The address of the service that runs on this data directory, or ran there last. Null when none did. */
export const readAddress = (data_dir: string): string | null =>
  existsSync(fileIn(data_dir)) ? readFileSync(fileIn(data_dir), 'utf8').trim() : null;

export const writeAddress = (data_dir: string, address: string): void =>
  writeFileSync(fileIn(data_dir), `${address}\n`);

const fileIn = (data_dir: string) => join(data_dir, 'address');
