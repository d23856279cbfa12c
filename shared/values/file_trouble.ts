/** Why a file in the data folder could not be written or read, and what to do, for the middle of a sentence. */
export const reasonOf = (error: unknown): string =>
  reasons[errorCode(error)] ?? (error instanceof Error ? error.message : String(error));

/** The `code` of a file system or database error ('ENOENT', '28P01'), else ''. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const elsewhere = 'or choose another folder with DATA_DIR';
const reasons: Record<string, string> = {
  EACCES: `this user may not; run as the user it belongs to, ${elsewhere}`,
  EPERM: `this user may not; run as the user it belongs to, ${elsewhere}`,
  ENOENT: `a folder above it is missing, or on a read-only disk; make it, ${elsewhere}`,
  EROFS: `the disk is read-only; make it writable, ${elsewhere}`,
  ENOSPC: `the disk is full; free some space, ${elsewhere}`,
  EDQUOT: `this user's share of the disk is full; free some space, ${elsewhere}`,
  ENOTDIR: `a part of the path is not a folder; move it away, ${elsewhere}`,
  EEXIST: `something else is in its place; move it away, ${elsewhere}`,
};
