import { z } from 'zod';
import { csvCell } from '#shared/values/csv_cell.ts';

/** A column: the path of member names to its value. Its title is that path. */
type Column = readonly string[];

/** The columns for records of a schema: members of nested objects by their paths, all other values as they are. */
export function columnsOf(schema: z.ZodObject): Column[] {
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const inner = unwrapped(member);
    return inner instanceof z.ZodObject ? columnsOf(inner).map(path => [name, ...path]) : [[name]];
  });
}

export const headerOf = (columns: readonly Column[]): string => line(columns.map(path => path.join('.')));

/** A record as a row: null becomes an empty cell, and whatever is not text, a number or a boolean becomes JSON. */
export const rowOf = (columns: readonly Column[], record: unknown): string =>
  line(columns.map(path => textOf(path.reduce<unknown>(member, record))));

const line = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}
