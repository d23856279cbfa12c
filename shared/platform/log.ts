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
    formatters: {
      bindings: values => censored(values, LEVELS),
      log: values => censored(values, LEVELS),
    },
    serializers: { error: error => describe(error) },
  });

const secrets = new Set(['key', 'secret', 'authorization', 'cookie', 'password']);
/** How deep a line is looked through; pino's own way of censoring parses its paths anew for each line. */
const LEVELS = 2;

/** The same values without those that could be secret, by their names, `levels` deep: 1 is the values themselves. */
export function censored<Values extends object>(values: Values, levels: number): Values {
  const censored_values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(values)) {
    if (secrets.has(name)) censored_values.set(name, '[redacted]');
    else if (levels > 1 && typeof value === 'object' && value !== null && name !== 'error') {
      const group = censored(value as object, levels - 1);
      if (group !== value) censored_values.set(name, group);
    }
  }
  return censored_values.size === 0 ? values : { ...values, ...Object.fromEntries(censored_values) };
}

/** Error for a log line: its type, message, code and stack; never the values of a query. */
function describe(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  const cause: unknown = error.cause === undefined ? undefined : describe(error.cause);
  return { type: name, message, code, cause, stack };
}
