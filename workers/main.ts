import { setFlagsFromString } from 'node:v8';
import { runWorkers } from './run_workers.ts';

// The worker processes of the Procfile: `node workers/main.ts detect`, or several types in one process, or `schedule`.
// The command line keeps the young generation small, which is faster here, and has the heap grow in small steps, which keeps the garbage of loading
// out of it. (Set here, flags would invalidate what other processes have compiled.) Once all is loaded, the heap may grow as fast as V8 likes.
await runWorkers(process.argv.slice(2), () => setFlagsFromString('--heap-growing-percent=0'));
