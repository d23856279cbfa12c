import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { fromBufferPromise } from 'yauzl';
import { invalidRequest } from '#shared/interface/errors.ts';
import { readEcbCsv, readEcbXml } from './ecb_rates.ts';
import { FxRate } from './fx_rate.ts';

const MOST_BYTES = 64 * 1_024 * 1_024;

/**
 * The rates of a file: CSV with the columns date, currency and usd_per_unit, or one of the files that the European Central Bank publishes
 * (XML or CSV, of one day or of many; the CSV zipped, too). A row of ours that does not fit refuses all, with its line; of a currency and
 * day given twice the later counts. Throws `invalid_request`.
 */
export async function readRateFile(file: Buffer): Promise<FxRate[]> {
  const bytes = file.subarray(0, 2).toString('latin1') === 'PK' ? await unpacked(file) : file;
  const text = bytes.toString('utf8').replace(/^\u{feff}/u, '');
  const rates = /^\s*</.test(text) ? readEcbXml(text) : readCsv(text);
  if (rates.length === 0)
    throw invalidRequest(
      'The file holds no rates. It needs the columns date,currency,usd_per_unit, or is a file of the European Central Bank.',
    );
  return [...new Map(rates.map(rate => [`${rate.currency} ${rate.date}`, rate])).values()];
}

/** The content of an archive of one file. */
async function unpacked(file: Buffer): Promise<Buffer> {
  const fault = invalidRequest('The file is a ZIP archive that is damaged, or holds more than one file.');
  try {
    const zip = await fromBufferPromise(file, { autoClose: false });
    if (zip.entryCount !== 1) throw fault;
    for await (const entry of zip.eachEntry())
      if (entry.uncompressedSize <= MOST_BYTES) return await buffer(await zip.openReadStreamPromise(entry));
    throw fault;
  } catch {
    throw fault;
  }
}

function readCsv(text: string): FxRate[] {
  const rows = rowsOf(text);
  const isOwn = rows[0] === undefined || 'usd_per_unit' in rows[0].record || !('USD' in rows[0].record);
  if (!isOwn) return readEcbCsv(rows.map(({ record }) => record));
  return rows.map(({ record, info }) => {
    const row = FxRate.safeParse(record);
    if (row.success) return row.data;
    const issue = row.error.issues[0];
    throw invalidRequest(`Line ${info.lines}: ${issue?.path.join('.')} ${issue?.message}. Nothing was loaded.`);
  });
}

function rowsOf(text: string): { record: Record<string, string>; info: { lines: number } }[] {
  try {
    return parse(text, {
      columns: true,
      trim: true,
      comment: '#',
      comment_no_infix: true,
      skip_empty_lines: true,
      info: true,
    });
  } catch (error) {
    throw invalidRequest(`The file is not CSV: ${error instanceof Error ? error.message : String(error)}`);
  }
}
