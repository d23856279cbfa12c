import { createHash, hash } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { type ListAccount, startAccount } from '#shared/screening/account.ts';
import type { ListFormatName } from '#shared/settings/screening_lists_setting.ts';
import { listFormats } from './index.ts';
import { ListError } from './list_error.ts';
import type { ListInput } from './list_format.ts';
import { openText } from './text_source.ts';
import { tidyEntry } from './tidy_entry.ts';
import { isZip, unzipLists } from './unzip.ts';

type ListReading = {
  /** To be read once and to the end. Fails with `ListError`; then nothing of the list may be used. */
  entries: AsyncIterable<ListEntry>;
  /** The result of reading; available after the last entry. */
  summary(): ListSummary;
};

type ListSummary = {
  entries: number;
  /** SHA-256 (hex) of all bytes of all files, one after the other in the order of `files`: `cat files | sha256sum`. */
  sha256: string;
  files: string[];
  /** Records with nothing to match, and exact duplicates. */
  skipped: number;
  /** Entries with more names or identifiers than are kept. */
  shortened: number;
  /** How the items of its records were read. */
  account: ListAccount;
};

/**
 * Reads a list as its publisher ships it, from a file, the folder that holds the files, or a ZIP archive of them, as it streams in. An entry that
 * comes twice must be the same both times.
 */
export function readList(format: ListFormatName, path: string): ListReading {
  let done: ListSummary | null = null;
  return {
    entries: read(format, path, summary => (done = summary)),
    summary() {
      if (!done) throw new Error('a list has a summary once it was read to its end');
      return done;
    },
  };
}

async function* read(name: ListFormatName, path: string, finish: (summary: ListSummary) => void) {
  const isArchive = (await stat(path).catch(() => null))?.isFile() && (await isZip(path));
  if (!isArchive) return yield* readFiles(name, path, finish);
  const folder = await mkdtemp(join(tmpdir(), 'list-'));
  try {
    const [first = '', ...others] = await unzipLists(path, folder);
    yield* readFiles(name, others.length === 0 ? first : folder, finish);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* readFiles(name: ListFormatName, path: string, finish: (summary: ListSummary) => void) {
  const format = listFormats[name];
  const files = await format.files(path);
  const bytes = createHash('sha256');
  const contents = new Map<string, string>();
  const count = { entries: 0, skipped: 0, shortened: 0 };
  const hashed = new Set<string>();
  const account = startAccount();
  const input: ListInput = {
    files,
    open(file) {
      const again = hashed.has(file);
      hashed.add(file);
      return openText(file, again ? undefined : chunk => bytes.update(chunk));
    },
    account,
  };
  for await (const raw of format.read(input)) {
    const tidy = tidyEntry(raw);
    if (raw.entry_id.trim() === '') throw new ListError(basename(path), null, `the entry "${raw.name}" has no id`);
    if (!tidy || !isFirst(tidy.entry, contents, path)) {
      count.skipped += 1;
      continue;
    }
    count.entries += 1;
    if (tidy.shortened) {
      count.shortened += 1;
      account.miss('more names or identifiers than an entry keeps', raw.entry_id);
    }
    yield tidy.entry;
  }
  finish({ ...count, sha256: bytes.digest('hex'), files, account: account.total() });
}

/** Whether the entry is new; a different entry under the same id is refused, since it is unknown which one is right. */
function isFirst(entry: ListEntry, contents: Map<string, string>, path: string): boolean {
  const content = hash('sha256', JSON.stringify(entry), 'base64url').slice(0, 22);
  const before = contents.get(entry.entry_id);
  contents.set(entry.entry_id, content);
  if (before === undefined || before === content) return before === undefined;
  const what = `the entry ${entry.entry_id} (${entry.name}) comes twice, with different content`;
  throw new ListError(basename(path), null, `${what}; an id must stand for one entry`);
}
