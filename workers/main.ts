import { setFlagsFromString } from 'node:v8';

// The worker processes of the Procfile: `node workers/main.ts detect`, or several types in one process, or `schedule`.
// Garbage from loading makes V8 enlarge the young generation for good, by 60 MB for `detect`, so it may not grow until there is work.
setFlagsFromString('--semi-space-growth-factor=1');
const { runWorkers } = await import('./run_workers.ts');
await runWorkers(process.argv.slice(2), () => setFlagsFromString('--semi-space-growth-factor=2'));
