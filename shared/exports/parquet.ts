import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet-writer';
import { type ExportColumn, titleOf, valueOf } from './columns.ts';

/** So many records, or so many characters of theirs, are in memory until they are written as a row group: readers skip whole ones. */
const GROUP = { records: 10_000, characters: 16 * 1_024 * 1_024 };

/** A file of Apache Parquet, compressed with Snappy. Every column may be null. */
export function encodeParquet(columns: readonly ExportColumn[]) {
  const writer = new ByteWriter();
  const root: SchemaElement = { name: 'records', num_children: columns.length };
  const file = new ParquetWriter({ writer, schema: [root, ...columns.map(elementOf)] });
  let values: unknown[][] = columns.map(() => []);
  const size = () => values[0]?.length ?? 0;
  let characters = 0;
  const writeGroup = () => {
    const columnData = columns.map((column, index) => ({ name: titleOf(column), data: values[index] ?? [] }));
    void file.write({ columnData, rowGroupSize: size() });
    values = columns.map(() => []);
    characters = 0;
  };
  /** What was written since the last time; its place in the file goes on by `offset`. */
  const take = () => {
    const bytes = Buffer.copyBytesFrom(new Uint8Array(writer.buffer, 0, writer.index));
    writer.index = 0;
    return bytes;
  };
  return {
    begin: () => '',
    add(records: readonly unknown[]) {
      for (const record of records) {
        for (const [index, column] of columns.entries()) {
          const cell = cellOf(column, record);
          if (typeof cell === 'string') characters += cell.length;
          values[index]?.push(cell);
        }
        if (size() >= GROUP.records || characters >= GROUP.characters) writeGroup();
      }
      return take();
    },
    end() {
      if (size() > 0) writeGroup();
      void file.finish();
      return take();
    },
  };
}

function elementOf(column: ExportColumn): SchemaElement {
  const shared = { name: titleOf(column), repetition_type: 'OPTIONAL' } as const;
  if (column.type === 'integer') return { ...shared, type: 'INT64' };
  if (column.type === 'time')
    return {
      ...shared,
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    };
  return { ...shared, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
}

function cellOf(column: ExportColumn, record: unknown): string | bigint | null {
  const text = valueOf(column, record);
  if (text === null || column.type === 'text') return text;
  return column.type === 'integer' ? BigInt(text) : BigInt(Date.parse(text)) * 1_000n;
}
