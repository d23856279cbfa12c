import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';

/** How one publisher's files are read. */
export type ListFormat = {
  /** What it is, whose it is, and which files it takes: one sentence for people. */
  about: string;
  /**
   * The files at `path` that belong to the list, in the order in which they are read and hashed. `path` is a file, or the folder with the
   * publisher's files. Fails with `ListError` when one is missing.
   */
  files(path: string): Promise<string[]>;
  /** Reads the entries, in the publisher's words; `readList` cleans, caps and counts them. Fails with `ListError`. */
  read(input: ListInput): AsyncIterable<ListEntry>;
};

/** The input of a format. */
export type ListInput = {
  /** As `files` chose them. */
  files: string[];
  /** Opens a file; on its first reading every byte counts in the list's hash. */
  open(path: string): TextSource;
  /** Where a reader accounts for each item; drafts made with it account for what is added to them. */
  account: Accounting;
};

/** A file as text that was checked to be UTF-8, chunk by chunk. */
export type TextSource = {
  /** Without its folder, for messages. */
  name: string;
  chunks: AsyncIterable<string>;
};
