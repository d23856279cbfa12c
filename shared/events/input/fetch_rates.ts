import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { asError, invalidRequest, Problem } from '#shared/interface/errors.ts';
import { downloadFiles } from '#shared/outbound/download.ts';
import { DownloadError } from '#shared/outbound/download_error.ts';
import type { Validators } from '#shared/outbound/download_file.ts';
import type { Services } from '#shared/platform/services.ts';
import type { ConfiguredRates } from '#shared/settings/rates_setting.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { saveRates } from './fx_rates.ts';
import { MOST_RATE_BYTES, readRateFile } from './rate_file.ts';
import { noteRatesFetched, noteRatesNotFetched, readRateSource } from './rate_sources.ts';

/** Rates for days outside the accepted range of events are left out, and for days after tomorrow: a payment looks ten days back. */
const MARGIN_DAYS = 11;

/**
 * Fetches exchange rates from the configured source, and stores them if the file has changed; returns null if it has not. A failure is
 * recorded with the time of the next try; the current rates stay in use. Throws whatever went wrong.
 */
export async function fetchRates(
  { config, db, now }: Pick<Services, 'config' | 'db' | 'now'>,
  configured: ConfiguredRates,
): Promise<{ loaded: number; newest: string } | null> {
  const { id, every } = configured;
  const { validators, attempts } = await readRateSource(db, id);
  try {
    const file = await readSource(configured, join(config.data_dir, 'rates'), validators);
    if (!file) {
      await noteRatesFetched(db, id, { validators: null, every }, now());
      return null;
    }
    const [oldest, newest] = [dayOf(now() - (config.event_max_age_days + MARGIN_DAYS) * DAY), dayOf(now() + DAY)];
    const rates = (await readRateFile(file.content)).filter(({ date }) => date >= oldest && date <= newest);
    await db.transaction(async tx => {
      await saveRates(tx, rates, 'fetched');
      await noteRatesFetched(tx, id, { validators: file.validators, every }, now());
    });
    return { loaded: rates.length, newest: rates.map(({ date }) => date).reduce((a, b) => (a > b ? a : b), '') };
  } catch (error) {
    await noteRatesNotFetched(db, id, attempts, whyNoRates(error), now());
    throw error;
  }
}

const dayOf = (time: number): string => timestamp(time).slice(0, 'YYYY-MM-DD'.length);

/** The part of an error that an operator may read. */
export const whyNoRates = (error: unknown): string =>
  error instanceof DownloadError || error instanceof Problem
    ? asError(error).message
    : 'The service failed; its log says how.';

type File = { content: Buffer; validators: Validators };

/** Null when the file is unchanged. */
async function readSource(
  { from, allow_private }: ConfiguredRates,
  folder: string,
  cached: Validators | null,
): Promise<File | null> {
  if (isAbsolute(from)) return readOwn(from, cached);
  const validators = cached ? { [from]: cached } : {};
  const options = { urls: [from], folder, allow_private, validators, max_bytes: MOST_RATE_BYTES };
  const download = await downloadFiles(options);
  if (download.state === 'unchanged') return null;
  try {
    const content = await readFile(download.path);
    return { content, validators: download.validators[from] ?? { etag: null, last_modified: null } };
  } finally {
    await rm(download.folder, { recursive: true, force: true });
  }
}

async function readOwn(path: string, cached: Validators | null): Promise<File | null> {
  const content = await readFile(path).catch((error: Error) => {
    throw invalidRequest(`The file ${path} cannot be read: ${error.message}.`);
  });
  const etag = createHash('sha256').update(content).digest('hex');
  return cached?.etag === etag ? null : { content, validators: { etag, last_modified: null } };
}
