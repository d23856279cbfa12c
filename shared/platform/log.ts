import { pino } from 'pino';

export type Logger = pino.Logger;

/**
 * Structured log lines on stdout, each with the `ids` of the current work. Values that could be secret are censored by name; nothing else
 * logs whole requests.
 */
export const createLog = (level: string, service: string, ids?: () => Record<string, string>): Logger =>
  pino({
    level,
    base: { service },
    ...(ids && { mixin: ids }),
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'key',
        'secret',
        'authorization',
        'cookie',
        'password',
        '*.key',
        '*.secret',
        '*.authorization',
        '*.cookie',
        '*.password',
      ],
      censor: '[redacted]',
    },
    serializers: { error: error => describe(error) },
  });

/** Error for a log line: its type, message, code and stack; never the values of a query. */
function describe(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  const cause: unknown = error.cause === undefined ? undefined : describe(error.cause);
  return { type: name, message, code, cause, stack };
}
