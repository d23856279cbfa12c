import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '#shared/settings/config.ts';
import { errorCode } from '#shared/values/file_trouble.ts';

/** Has a server listen on HOST and the port of this setting; 0 takes any free one. Returns the port. Throws an Error that says which setting to change. */
export async function listen(
  server: Server,
  { host, port: api_port, metrics_port }: Pick<Config, 'host' | 'port' | 'metrics_port'>,
  setting: 'PORT' | 'METRICS_PORT',
): Promise<number> {
  const port = setting === 'PORT' ? api_port : metrics_port;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  try {
    await promise;
  } catch (error) {
    const taken = `Port ${port} on ${host} is taken. Stop what uses it, or set ${setting} to another one.`;
    const twice = `PORT and METRICS_PORT are both ${port}. Set one of them to another port.`;
    const inUse = setting === 'PORT' && port === metrics_port ? twice : taken;
    const other = `Nothing can listen on port ${port} of ${host} (${errorCode(error)}). Check HOST and ${setting}.`;
    throw new Error(errorCode(error) === 'EADDRINUSE' ? inUse : other, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}
