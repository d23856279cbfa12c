import { registerHooks } from 'node:module';
import fc from 'fast-check';

// The same cases in every run of a commit (see test/run.ts): what fails on one machine fails on all.
fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

// Many test files share a process, and with it ava's runner: each declares its tests to the room they share.
const room = new URL('../suite/room.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'ava' && context.parentURL !== room ? { url: room, shortCircuit: true } : next(specifier, context),
});
