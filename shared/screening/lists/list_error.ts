/**
 * A list that cannot be read. The message names the file and, if known, the line, says what is wrong and what would be right: `sdn.csv,
 * line 812: 9 columns instead of 12; …`. Nothing of such a list may be loaded.
 */
export class ListError extends Error {
  override name = 'ListError';

  /** `file` without its folder; `line` counts from 1, null where the whole file is meant. */
  constructor(file: string, line: number | null, what: string) {
    super(`${file}${line === null ? '' : `, line ${line}`}: ${what}`);
  }
}
