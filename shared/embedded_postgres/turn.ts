import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

type Turn = { end: () => Promise<void> };

/**
 * The turn to start the server of a cluster, or null while another process has it. It is a name the kernel keeps and takes
 * back when its holder dies. It only saves work and a noisy log: that there is one server for a cluster is ensured by
 * PostgreSQL's own lock. So where there are no such names (macOS), or with `regardless`, everybody has it.
 */
export const takeTurn = (directory: string, regardless: boolean) =>
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
