import { flushCompileCache } from 'node:module';
import avaTest, { registerCompletionHandler } from 'ava';
import { isSkipped } from './elsewhere.ts';

/** A test or a hook as a file declares it: `test.skip('title', run)` is the chain `skip` with two arguments. */
type Declaration = { file: string; chain: readonly string[]; args: unknown[] };

const declarations: Declaration[] = [];
let loading: string | undefined;

/** What a test file gets for ava's `test`: it remembers what is declared until all files of the room are loaded. */
export default declareLater([]);

function declareLater(chain: readonly string[]): typeof avaTest {
  return new Proxy(avaTest, {
    get: (_test, name) => declareLater([...chain, String(name)]),
    apply(_test, _this, args: unknown[]) {
      if (!loading) throw new Error('Tests are declared while their file is loaded, not later.');
      declarations.push({ file: loading, chain, args });
    },
  });
}

/**
 * Loads these test files one after the other and declares their tests, each under the name of its file, to the one runner that ava
 * has a process. A file that cannot be loaded is a failed test. Ava takes declarations only in one go, and a file may wait while it
 * is loaded: so all of them are declared at the end.
 */
export async function openRoom(files: readonly string[]): Promise<void> {
  for (const file of files) {
    loading = file;
    try {
      await import(new URL(`../../${file}`, import.meta.url).href);
    } catch (error) {
      declarations.push({ file, chain: [], args: ['could not be loaded', () => Promise.reject(error)] });
    }
  }
  loading = undefined;
  // Threads and processes that the tests start load much of the same.
  flushCompileCache();
  for (const { file, chain, args } of declarations) {
    const [first, ...rest] = args;
    if (typeof first !== 'string') declare(chain, args);
    else declare(isSkipped(file, first) ? [...chain, 'skip'] : chain, [`${file} › ${first}`, ...rest]);
  }
}

/** How long after its last test a room waits for what its tests left open, in milliseconds. */
const GRACE = 20_000;

// What tests leave open is told, and keeps nobody waiting: their results are known.
registerCompletionHandler(() => {
  setTimeout(() => {
    const { libuv } = process.report.getReport() as { libuv?: { is_active: boolean; is_referenced: boolean }[] };
    const open = libuv?.filter(handle => handle.is_active && handle.is_referenced);
    console.error('Left open by tests:', process.getActiveResourcesInfo().join(', '), JSON.stringify(open, null, 1));
    process.exit();
  }, GRACE).unref();
});

/** The tests of a room run one by one, in order. */
function declare(chain: readonly string[], args: unknown[]): void {
  let test: unknown = avaTest.serial;
  for (const name of chain.filter(each => each !== 'serial')) test = Reflect.get(test as object, name);
  (test as (...given: unknown[]) => void)(...args);
}
