import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { Db } from '#shared/platform/db.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Logger } from '#shared/platform/log.ts';
import { entriesOf, type ListRef } from '#shared/screening/store/screening_entries.ts';
import { EVERYBODY, type ListRow, listsOf } from '#shared/screening/store/screening_lists.ts';
import { buildListIndex } from '#shared/screening/matcher/build_list_index.ts';
import type { ListIndex } from '#shared/screening/matcher/list_index.ts';
import type { SearchedList } from '#shared/screening/search/search_thread.ts';
import { pause } from '#shared/platform/pause.ts';
import { SECOND } from '#shared/values/time.ts';

export type ReadyList = SearchedList & { loaded_at: string };

export type LoadedLists = {
  /** The lists an organization is screened against, in their newest versions; waits for builds. Not within a transaction. */
  newest(org_id: string): Promise<ReadyList[]>;
  /**
   * The same without a noticeable wait: while a newer version is being built, the one before. Only a list that was never built is waited
   * for. Not within a transaction.
   */
  current(org_id: string): Promise<ReadyList[]>;
  /** The lists that `current` returned last, without asking the database; null when one is not loaded in that version. */
  latest(org_id: string): ReadyList[] | null;
  /** Builds newer versions of the shared lists as they arrive, before the first request. */
  watch(): void;
  close(): void;
};

/** Entries of organizations' own lists kept in memory; shared lists are always kept. */
const MOST_OWN_ENTRIES = 1_000_000;
const LOOK_EVERY = 5 * SECOND;
/** How long a version that failed to build is left alone. */
const REST_AFTER_FAILURE = 30 * SECOND;
/** A small list is built within this time, so the first caller gets it at once. Only the first callers of a larger one wait this long. */
const PATIENCE = 0.25 * SECOND;
/** Readings after which a list that keeps changing is given up. */
const MOST_READINGS = 5;

/** Organizations whose lists are remembered by name and version. */
const MOST_ORGANIZATIONS = 1_000;
/** Failures that are remembered: others are tried again at once. */
const MOST_FAILED = 1_000;

type Built = { version: number; index: ListIndex };

/**
 * The lists of this process: read from the database and built in a thread when first needed and when they change, one build per list at a
 * time. Searches use the previous version until the new one is ready.
 */
export function createLoadedLists({ db, log }: { db: Db; log: Logger }): LoadedLists {
  const ofEverybody = new Map<string, Built>();
  const ofOrganizations = new LRUCache<string, Built>({
    maxSize: MOST_OWN_ENTRIES,
    sizeCalculation: ({ index }) => 100 + index.entry_count,
  });
  const rowsSeen = new LRUCache<string, readonly ListRow[]>({ max: MOST_ORGANIZATIONS });
  const building = new Map<string, { since: number; built: Promise<Built> }>();
  const failed = new LRUCache<string, { version: number; at: number; error: unknown }>({ max: MOST_FAILED });
  // A transaction allows only its own connection to what it calls; these were made outside of one and read outside.
  const outside = AsyncLocalStorage.snapshot();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const builtOf = (row: ListRef) =>
    row.org_id === EVERYBODY ? ofEverybody.get(nameOf(row)) : ofOrganizations.get(nameOf(row));

  /** The list in this version or a later one. */
  async function ensure(row: ListRow): Promise<Built> {
    for (;;) {
      const built = builtOf(row);
      if (built && built.version >= row.version) return built;
      const next = await (building.get(nameOf(row))?.built ?? begin(row));
      if (next.version >= row.version) return next;
    }
  }

  function begin(row: ListRow): Promise<Built> {
    const name = nameOf(row);
    const before = failed.get(name);
    if (before?.version === row.version && performance.now() - before.at < REST_AFTER_FAILURE)
      return Promise.reject(before.error);
    const promise = outside(() => build(db, row))
      .then(built => {
        if (row.org_id === EVERYBODY) ofEverybody.set(name, built);
        else ofOrganizations.set(name, built);
        failed.delete(name);
        log.info(
          { list: row.name, org_id: row.org_id, version: built.version, entries: built.index.entry_count },
          'list ready',
        );
        return built;
      })
      .catch((error: unknown) => {
        if (error instanceof Removed) throw error;
        failed.set(name, { version: row.version, at: performance.now(), error });
        if (!closed) log.error({ error: asError(error), list: row.name, org_id: row.org_id }, 'list not made ready');
        throw error;
      })
      .finally(() => building.delete(name));
    building.set(name, { since: performance.now(), built: promise });
    return promise;
  }

  const ready = ({ org_id, name, loaded_at }: ListRow, { version, index }: Built): ReadyList => ({
    org_id,
    name,
    version,
    index,
    loaded_at,
  });

  const newest = async (org_id: string) => {
    const rows = await outside(() => listsOf(db, org_id));
    forgetRemoved(rows);
    return unlessRemoved(rows, async row => ready(row, await ensure(row)));
  };

  /** The lists of everybody are among those of each organization: one that is not was removed. */
  function forgetRemoved(rows: readonly ListRow[]): void {
    const names = new Set(rows.map(nameOf));
    for (const name of ofEverybody.keys()) if (!names.has(name)) ofEverybody.delete(name);
  }

  return {
    newest,
    latest(org_id) {
      const rows = rowsSeen.get(org_id);
      const lists = rows?.flatMap(row => {
        const built = builtOf(row);
        return built?.version === row.version ? ready(row, built) : [];
      });
      return lists && lists.length === rows?.length ? lists : null;
    },
    async current(org_id) {
      const rows = await outside(() => listsOf(db, org_id));
      rowsSeen.set(org_id, rows);
      return unlessRemoved(rows, async row => {
        const before = builtOf(row);
        const coming = ensure(row);
        if (!before || before.version >= row.version) return ready(row, await coming);
        const since = building.get(nameOf(row))?.since ?? performance.now();
        const wait = pause(Math.max(0, since + PATIENCE - performance.now()));
        return ready(row, await Promise.race([coming.catch(() => before), wait.then(() => before)]));
      });
    },
    watch() {
      if (timer || closed) return;
      const look = async () => {
        await newest(EVERYBODY).catch((error: unknown) => closed || warnOf(log, error, 'lists not looked at'));
        if (!closed) timer = setTimeout(look, LOOK_EVERY).unref();
      };
      timer = setTimeout(look, 0).unref();
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

const nameOf = ({ org_id, name }: ListRef) => `${org_id} ${name}`;

/** A list was removed while it was read. */
class Removed extends Error {}

/** The lists, without those that were removed meanwhile. */
async function unlessRemoved(
  rows: readonly ListRow[],
  make: (row: ListRow) => Promise<ReadyList>,
): Promise<ReadyList[]> {
  const lists = await Promise.all(
    rows.map(row =>
      make(row).catch((error: unknown) => {
        if (error instanceof Removed) return null;
        throw error;
      }),
    ),
  );
  return lists.filter(list => list !== null);
}

/** Reads the list and builds it. A load during the reading would be half in it, so the list is then read again. */
async function build(db: Db, list: ListRef): Promise<Built> {
  for (let reading = 0; reading < MOST_READINGS; reading += 1) {
    const version = await versionOf(db, list);
    const index = await buildListIndex(entriesOf(db, list));
    if ((await versionOf(db, list)) === version) return { version, index };
  }
  throw new Error('the list changes faster than it can be read');
}

async function versionOf(db: Db, { org_id, name }: ListRef): Promise<number> {
  const row = (await listsOf(db, org_id)).find(list => list.org_id === org_id && list.name === name);
  if (!row) throw new Removed(`the list ${name} was removed`);
  return row.version;
}
