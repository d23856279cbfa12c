import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The turn to start the server of a cluster, or to do what only one may do at a time, or null while another process has it. It is a name that the kernel releases when its holder
 * dies. It only saves work and a noisy log: PostgreSQL's own lock ensures that a cluster has one server. So without such names (macOS), or
 * with `regardless`, everyone has the turn.
 */
export const takeTurn = (directory: string, regardless = false) =>
  new Promise<Turn | null>(resolve => {
    const everybodys = { end: async () => {} };
    if (process.platform !== 'linux') return resolve(everybodys);
    const name = createHash('sha256').update(directory).digest('hex');
    const server = createServer(socket => socket.destroy());
    server.once('error', () => resolve(regardless ? everybodys : null));
    // A leading zero byte: a name without a file, see unix(7), "abstract".
    server.listen({ path: `\0agent-payment-oversight-${name}`, exclusive: true }, () =>
      resolve({ end: () => new Promise(done => server.close(() => done())) }),
    );
  });

type Turn = { end: () => Promise<void> };
