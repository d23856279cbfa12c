import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asError, orNotFound, Problem } from '#shared/interface/errors.ts';
import { DownloadError } from '#shared/outbound/download_error.ts';
import { downloadFiles } from '#shared/outbound/download.ts';
import { ListError } from '#shared/screening/lists/list_error.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import { unzipAll } from '#shared/screening/lists/unzip.ts';
import { type StoredList, loadList, noteUnchanged } from '#shared/screening/store/list_load.ts';
import { noteFetched, noteNotChanged, noteNotFetched, readSource } from '#shared/screening/store/list_sources.ts';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import type { Services } from '#shared/platform/services.ts';

/**
 * Fetches a configured list, and loads it if it has changed; returns null if it has not. A failure is recorded with the time of the next
 * try, and the loaded version stays in use. Throws `not_found` for a list that is not configured, and whatever went wrong.
 */
export async function fetchList(
  { config, db, now }: Pick<Services, 'config' | 'db' | 'now'>,
  name: string,
  loaded_by: 'operator' | 'schedule',
): Promise<StoredList | null> {
  const configured = orNotFound('list in SCREENING_LISTS', config.screening_lists[name]);
  const { format, urls, every, allow_private } = configured;
  const { validators, attempts } = await readSource(db, name);
  const list = { org_id: EVERYBODY, name };
  try {
    const folder = join(config.data_dir, 'lists');
    const download = await downloadFiles({ urls, folder, allow_private, validators });
    if (download.state === 'unchanged') {
      await noteUnchanged(db, list, now());
      await noteNotChanged(db, name, every, now());
      return null;
    }
    try {
      if (download.path === download.folder) await unzipAll(download.folder);
      const { entries, summary } = readList(format, download.path);
      const { environment } = config;
      const new_list = { ...list, format, entries, summary, insist: false, loaded_by, environment };
      const loaded = await loadList(db, new_list, now());
      await noteFetched(db, name, { validators: download.validators, sha256: loaded.sha256, every }, now());
      return loaded;
    } finally {
      await rm(download.folder, { recursive: true, force: true });
    }
  } catch (error) {
    await noteNotFetched(db, name, attempts, whyNotFetched(error), now());
    throw error;
  }
}

/** The part of an error that an operator may read. */
export const whyNotFetched = (error: unknown): string =>
  error instanceof DownloadError || error instanceof ListError || error instanceof Problem
    ? asError(error).message
    : 'The service failed; its log says how.';
