import type { z } from 'zod';

/** A setting as a value, under the name of its environment variable; everything said of it stands here. */
export type Setting = {
  /** Reads its text. A message never quotes a text that may hold a secret. */
  schema: z.ZodType;
  /** The text where none is set: fixed, or decided by the others. Without one the setting is undefined then. */
  default?: string | ((texts: Texts, environment: Texts) => string);
  /** What holds where it is not set, in words, where no fixed text says it. */
  otherwise?: string;
  /** What it is, in Markdown on one line. */
  about: string;
};

/** Texts by the name of their setting. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** What a setting is to the service. */
export type ValueOf<S extends Setting> = z.output<S['schema']> | ('default' extends keyof S ? never : undefined);
