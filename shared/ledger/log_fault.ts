/** What is stored of a log is not what was signed, or cannot be. Such a log is not signed any further; the message says why, in a sentence. */
export class LogFault extends Error {
  override name = 'LogFault';
}
