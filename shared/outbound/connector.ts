import type { buildConnector } from 'undici';
import { guardedLookup, literalFault, type Resolve, TargetBlocked } from './target.ts';
import { undici } from './undici.ts';

type ConnectorOptions = {
  allow_private: boolean;
  /** Milliseconds until the connection is established. */
  timeout: number;
  resolve?: Resolve | undefined;
};

/** Connects to public addresses only, unless `allow_private`; TLS is verified whatever the process's environment. */
export function guardedConnector({ allow_private, timeout, resolve }: ConnectorOptions): buildConnector.connector {
  const connect = undici().buildConnector({
    timeout,
    allowH2: false,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(!allow_private && { lookup: guardedLookup(resolve) }),
  });
  return (options, callback) => {
    const fault = allow_private ? null : literalFault(options.hostname);
    if (!fault) return connect(options, callback);
    queueMicrotask(() => callback(new TargetBlocked(fault), null));
  };
}
