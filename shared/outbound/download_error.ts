/** A file that could not be fetched. The message names the address without credentials and query. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}
