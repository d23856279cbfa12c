import { once } from 'node:events';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';

// Another process that opens the database in its first argument, tells its urls in a line of JSON, and closes it when its
// standard input ends.
const postgres = await openEmbeddedPostgres({ data_dir: process.argv[2] ?? '' });
console.log(JSON.stringify(postgres));
process.stdin.resume();
await once(process.stdin, 'end');
await postgres.close();
