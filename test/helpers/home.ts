import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { adminOf, adminProcessOf } from './admin.ts';
import { preparedFolder, serverPid, temporaryFolder } from './embedded_postgres.ts';
import { type Child, run } from './process.ts';

/** A data directory of this test's own, as an earlier start left it or `fresh`, and `npm start` on it. */
export async function home(t: ExecutionContext, { fresh = false } = {}) {
  const DATA_DIR = await (fresh ? temporaryFolder(t) : preparedFolder(t));
  const settings = { DATA_DIR, PORT: '0' };
  const admin = adminOf(t, { DATA_DIR });
  return {
    DATA_DIR,
    start: (more: Record<string, string> = {}) => run(t, 'bin/start.ts', [], { ...settings, ...more }),
    admin,
    /** A key of a new organization, made beside the running service, by a process of the operator's where `typed`. */
    async key({ typed = false } = {}): Promise<string> {
      const tool = typed ? adminProcessOf(t, { DATA_DIR }) : admin;
      await tool.json('org', 'create', '--name', 'Acme');
      return (await tool.json('key', 'create', '--org', 'Acme', '--name', 'first', '--scopes', 'all')).key;
    },
    databaseRuns: async () => (await serverPid({ directory: join(DATA_DIR, 'postgres') })) !== null,
  };
}

/** Stops a service as an operator would, and holds it to a clean end. */
export async function stop(t: ExecutionContext, service: Child, signal: NodeJS.Signals = 'SIGTERM') {
  service.kill(signal);
  const { code, stderr } = await service.ended;
  t.is(code, 0, stderr);
  t.regex(stderr, /Stopping…\n(.*\n)*Stopped\.\n$/);
}

/** Whether nobody listens there. */
export const isClosed = async (address: string): Promise<boolean> => {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const [error] = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).catch(thrown => [thrown]);
  socket.destroy();
  return error?.code === 'ECONNREFUSED';
};
