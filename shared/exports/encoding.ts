import type { z } from 'zod';
import { csvCell } from '#shared/values/csv_cell.ts';
import { columnsOf, titleOf, valueOf } from './columns.ts';
import type { ExportFormat } from '#shared/exports/store/exports.ts';

/** How a file of records is made: what it begins with, pages of records, and what it ends with; pieces may be empty. */
export type Encoding = {
  begin(): string;
  add(records: readonly unknown[]): string | Buffer;
  end(): string | Buffer;
};

/** How each format makes a file of records of a schema, and whether the file is small already. */
export const formats: Record<ExportFormat, { encode(schema: z.ZodObject): Promise<Encoding>; is_compressed: boolean }> =
  {
    ndjson: {
      is_compressed: false,
      encode: async () => ({
        begin: () => '',
        add: records => records.map(record => `${JSON.stringify(record)}\n`).join(''),
        end: () => '',
      }),
    },
    csv: {
      is_compressed: false,
      async encode(schema) {
        const columns = columnsOf(schema);
        const lineOf = (cells: readonly string[]) => `${cells.map(csvCell).join(',')}\r\n`;
        return {
          begin: () => lineOf(columns.map(titleOf)),
          add: records => records.map(record => lineOf(columns.map(column => valueOf(column, record) ?? ''))).join(''),
          end: () => '',
        };
      },
    },
    parquet: {
      is_compressed: true,
      // Loaded on demand: few processes ever write one.
      encode: async schema => (await import('./parquet.ts')).encodeParquet(columnsOf(schema)),
    },
  };
