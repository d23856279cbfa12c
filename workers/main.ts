import { setFlagsFromString } from 'node:v8';
import { runWorkers } from './run_workers.ts';

// The worker processes of the Procfile: `node workers/main.ts detect`, or several types in one process, or `schedule`.
// Garbage from loading makes V8 enlarge the young generation for good, by 60 MB for `detect`: the command line has it not grow (set here, the flag
// would invalidate what other processes have compiled), and from now on it may.
await runWorkers(process.argv.slice(2), () => setFlagsFromString('--semi-space-growth-factor=2'));
