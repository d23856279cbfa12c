import { setFlagsFromString } from 'node:v8';

// The worker processes of the Procfile: `node workers/main.ts detect`, or several types in one process, or `schedule`.
// What loading leaves behind makes V8 widen the young generation, by 60 MB at `detect`, and it stays wide: that waits until there is work.
setFlagsFromString('--semi-space-growth-factor=1');
const { runWorkers } = await import('./run_workers.ts');
await runWorkers(process.argv.slice(2), () => setFlagsFromString('--semi-space-growth-factor=2'));
