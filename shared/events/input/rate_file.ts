import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { invalidRequest } from '#shared/interface/errors.ts';
import { readEcbRow, readEcbXml } from './ecb_rates.ts';
import { FxRate } from './fx_rate.ts';

/** Limit for a file, packed or not: the bank's largest has 700 KB. It is read in one go, in a few seconds at worst. */
export const MOST_RATE_BYTES = 8 * 1_024 * 1_024;
const MOST_RATES = 500_000;
/** More than all currencies. */
const MOST_COLUMNS = 300;
const ownColumns = ['date', 'currency', 'usd_per_unit'];

/**
 * The rates of a file: CSV with the columns date, currency and usd_per_unit, or one of the European Central Bank's files (XML or CSV, for
 * one day or many; the CSV may be zipped). An invalid row of our own format refuses the whole file, with its line; of two rates for a
 * currency and day the later counts. Throws `invalid_request`.
 */
export async function readRateFile(file: Buffer): Promise<FxRate[]> {
  const bytes = file.subarray(0, 2).toString('latin1') === 'PK' ? await unpacked(file) : file;
  if (bytes.length > MOST_RATE_BYTES) throw invalidRequest('The file is larger than 8 MB.');
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
  const fault = invalidRequest(
    'The file is a ZIP archive that is damaged, or holds more than one file, or one larger than 8 MB.',
  );
  try {
    const zip = await fromBufferPromise(file, { autoClose: false });
    if (zip.entryCount !== 1) throw fault;
    for await (const entry of zip.eachEntry())
      if (entry.uncompressedSize <= MOST_RATE_BYTES) return await buffer(await zip.openReadStreamPromise(entry));
    throw fault;
  } catch {
    throw fault;
  }
}

/**
 * Rows are read one by one, so that any other file is refused at its first row. No value in these files holds a comma or line break:
 * splitting takes a tenth of the time of a CSV parser.
 */
function readCsv(text: string): FxRate[] {
  const rates: FxRate[] = [];
  let header: string[] | undefined;
  for (const { cells, line } of rowsOf(text)) {
    header ??= cells;
    if (header.length > MOST_COLUMNS) throw invalidRequest(`The file has more than ${MOST_COLUMNS} columns.`);
    const isOfBank = header.includes('USD') && !header.includes('usd_per_unit');
    if (!isOfBank && !ownColumns.every(name => header?.includes(name)))
      throw invalidRequest(`Line ${line}: the columns must be ${ownColumns.join(',')}. Nothing was loaded.`);
    if (cells === header) continue;
    if (cells.length !== header.length)
      throw invalidRequest(
        `Line ${line}: it has ${cells.length} values, the first row ${header.length}. Nothing was loaded.`,
      );
    const row = new Map(header.map((name, column) => [name, cells[column] ?? '']));
    rates.push(...(isOfBank ? readEcbRow(row) : [ownRate(row, line)]));
    if (rates.length > MOST_RATES) throw invalidRequest('The file holds more than 500,000 rates.');
  }
  return rates;
}

/** The rows of a CSV file with their line numbers, without blank lines and comments. */
function* rowsOf(text: string): Generator<{ cells: string[]; line: number }> {
  let line = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const row = text.slice(start, end).trim();
    line += 1;
    start = end + 1;
    if (row !== '' && !row.startsWith('#')) yield { cells: row.split(',').map(withoutQuotes), line };
  }
}

const withoutQuotes = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1');

function ownRate(row: ReadonlyMap<string, string>, line: number): FxRate {
  const rate = FxRate.safeParse(Object.fromEntries(row));
  if (rate.success) return rate.data;
  const issue = rate.error.issues[0];
  throw invalidRequest(`Line ${line}: ${issue?.path.join('.')} ${issue?.message}. Nothing was loaded.`);
}
