import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { jobKindNames } from '#shared/running/work/kinds/index.ts';
import { loadHandler } from '#workers/handler.ts';

test('every kind of job has a handler', async t => {
  for (const kind of jobKindNames) t.is(typeof (await loadHandler(kind)).createHandler, 'function', kind);
});

/** The files below the project's folder that are loaded for these modules. */
async function loadedBy(modules: readonly string[]): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
    for (const name of ${JSON.stringify(modules)}) await import(name);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  const here = `file://${process.cwd()}/`;
  return stdout.split('\n').flatMap(url => (url.startsWith(here) ? [url.slice(here.length)] : []));
}

test('a process loads the handlers of its own kinds, and nothing that only others need', async t => {
  const heavy =
    /^shared\/(verification|mandates|detection\/detectors|screening\/(lists|matcher\/names)|packs\/(report|contents))\//;
  const others = /@simplewebauthn|typst|@aws-sdk|csv-parse|saxes|tldts/;
  for (const own of ['workers/handlers/webhook.ts', 'workers/handlers/checkpoint.ts']) {
    const loaded = await loadedBy(['#workers/run_workers.ts', `#${own}`]);
    t.deepEqual(
      loaded.filter(path => heavy.test(path) || others.test(path) || (path.includes('/handlers/') && path !== own)),
      [],
    );
  }
  const schedule = await loadedBy(['#workers/run_workers.ts', '#workers/schedule.ts']);
  t.deepEqual(
    schedule.filter(path => others.test(path) || path.includes('/handlers/')),
    [],
  );
});
