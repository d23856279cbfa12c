import { z } from 'zod';
import { csvCell } from '#shared/values/csv_cell.ts';

/** A column: its name, and the members that lead to its value. */
type Column = readonly string[];

/** The columns of records of a schema: the members of objects by their paths, everything else as it is. */
export function columnsOf(schema: z.ZodObject): Column[] {
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const inner = unwrapped(member);
    return inner instanceof z.ZodObject ? columnsOf(inner).map(path => [name, ...path]) : [[name]];
  });
}

export const headerOf = (columns: readonly Column[]): string => line(columns.map(path => path.join('.')));

/** A record as a row: null is an empty cell, and what is no text, number or truth value is JSON. */
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
