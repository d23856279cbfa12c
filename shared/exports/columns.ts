import { z } from 'zod';
import { Timestamp } from '#shared/interface/schemas.ts';

/** A column: the path of member names to its value. Its title is that path. */
export type ExportColumn = {
  path: readonly string[];
  /** Whole numbers and times have a type of their own where a format has types; all else is text, amounts to the last digit too. */
  type: 'text' | 'integer' | 'time';
};

/** The columns for records of a schema: members of nested objects by their paths, all other values as they are. */
export function columnsOf(schema: z.ZodObject): ExportColumn[] {
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const inner = unwrapped(member);
    if (inner instanceof z.ZodObject)
      return columnsOf(inner).map(({ path, type }) => ({ path: [name, ...path], type }));
    return [{ path: [name], type: typeOf(inner) }];
  });
}

export const titleOf = ({ path }: ExportColumn): string => path.join('.');

/** What a record has in a column: null and what is missing are null, and whatever is not text, a number or a boolean becomes JSON. */
export function valueOf({ path }: ExportColumn, record: unknown): string | null {
  const value = path.reduce<unknown>(member, record);
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const typeOf = (schema: unknown): ExportColumn['type'] => {
  if (schema === Timestamp || (schema instanceof z.ZodString && schema.meta()?.['format'] === 'date-time'))
    return 'time';
  return schema instanceof z.ZodNumber && schema.isInt ? 'integer' : 'text';
};

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}
