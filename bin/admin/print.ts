/** A command's result for a person: a list as lines under a heading, a record as one `name  value` line a member. */
export function print(result: unknown): string {
  const rows = Array.isArray(result) ? result : hasData(result) ? result.data : null;
  if (rows) return rows.length === 0 ? 'Nothing there.\n' : table(rows);
  if (typeof result !== 'object' || result === null) return `${String(result)}\n`;
  const width = Math.max(...Object.keys(result).map(name => name.length));
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(width)}  ${text(value)}\n`)
    .join('');
}

const hasData = (value: unknown): value is { data: unknown[] } =>
  typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data);

function table(rows: unknown[]): string {
  const records = rows.map(row =>
    Object.entries(row ?? {}).map(([name, value]): [string, string] => [name, text(value)]),
  );
  const names = records[0]?.map(([name]) => name) ?? [];
  const widths = names.map((name, column) =>
    Math.max(name.length, ...records.map(record => record[column]?.[1].length ?? 0)),
  );
  const line = (cells: string[]) =>
    `${cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()}\n`;
  return line(names) + records.map(record => line(record.map(([, value]) => value))).join('');
}

/** As a terminal shows it: what would move its cursor, or turn the text, is written as its number. */
const text = (value: unknown): string =>
  plainText(value).replaceAll(
    /[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/gu,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function plainText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value))
    return value.every(item => typeof item === 'string') ? value.join(' ') : String(value.length);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
