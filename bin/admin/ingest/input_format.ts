import { scanEvent } from './scan_event.ts';

/** JSON objects in a line each; JSON values over any lines, also in arrays; or CSV. */
type Format = 'lines' | 'values' | 'csv';

/**
 * The format of an input by its first lines; null while these do not tell, and more may come (`isAll`: no more is looked at). One line that
 * is broken, as where a file was cut off, does not decide: the next ones do.
 */
export function formatOf(head: string, isAll: boolean): Format | null {
  if (/^\s*\[/.test(head)) return 'values';
  const lines = head.split('\n').map(line => line.trim());
  // The last one may go on.
  if (!isAll) lines.pop();
  // What jq prints where a line has no event.
  const [first, second, third] = lines.filter(line => line !== '' && line !== 'null');
  if (first === undefined) return isAll ? formatOfNulls(head) : null;
  if (isObject(first)) return 'lines';
  const opens = first.startsWith('{');
  if (opens && isObject(first.replace(/,$/, ''))) return 'values';
  if (second === undefined && !isAll) return null;
  if (second !== undefined && isObject(second)) {
    if (third === undefined && !isAll) return null;
    // Within a value, a whole object is followed by one of these.
    if (!opens || !/^[,\]}]/.test(third ?? '')) return 'lines';
  }
  if (!opens) return 'csv';
  return /[{[,:]$/.test(first) ? 'values' : 'lines';
}

const formatOfNulls = (head: string): Format => (head.trim() === '' ? 'csv' : 'lines');

const isObject = (text: string): boolean => scanEvent(text) !== null;
