import type { TestServer } from './server.ts';

/** What the tests run on when TEST_DATABASE_URL is set. */
const server: TestServer | null = process.env['TEST_SERVER'] ? JSON.parse(process.env['TEST_SERVER']) : null;

type Skipped = {
  /** A file, or what the names of files begin with. */
  file: string;
  test?: string | RegExp;
  where(server: TestServer): boolean;
  why: string;
};

/** Tests that do not run on a server of one's own, with the reason. */
const skipped: Skipped[] = [
  {
    file: 'test/sql/plan_tenants.test.ts',
    where: ({ version, is_citus }) => version < 18 || is_citus,
    why: 'Statistics are taken from a statement from PostgreSQL 18 on, and shards keep their own.',
  },
  {
    file: 'test/shared/running/retention/five_years.test.ts',
    where: ({ is_citus }) => is_citus,
    why: 'What a statement removes is counted by triggers of the test, which run on the nodes and write to a table that is not there.',
  },
  {
    file: 'test/api/events.verdicts.test.ts',
    test: 'the few events that failed are found among many by an index',
    where: ({ is_citus }) => is_citus,
    why: 'Nodes plan for themselves.',
  },
  {
    file: 'test/api/event_blocks.test.ts',
    test: /^for an amount that few events have/,
    where: ({ is_citus }) => is_citus,
    why: 'Nodes plan for themselves.',
  },
  {
    file: 'test/shared/running/work/rest_logs.test.ts',
    where: ({ is_citus }) => is_citus,
    why: 'No log rests there.',
  },
  {
    file: 'test/shared/ledger/verify_events.test.ts',
    test: /^(a change of any column of an event is found|times that no event can have)/,
    where: ({ is_citus }) => is_citus,
    why: 'Its forgeries are updates that Citus does not plan.',
  },
  {
    file: 'test/api/members.test.ts',
    test: 'who is removed while they come from another organization leaves no session behind',
    where: ({ is_citus }) => is_citus,
    why: 'Who waits for a row is known to the node that has it.',
  },
  {
    file: 'test/shared/detection/totals.test.ts',
    test: 'the migration fills in what was analyzed before it, as detection would have',
    where: ({ is_citus }) => is_citus,
    why: 'That migration runs before the tables are spread.',
  },
  {
    file: 'test/sql/migrate.test.ts',
    test: 'an owner that made the role migrates, again too, and the service works with the same URL',
    where: ({ version }) => version < 16,
    why: 'What such an owner is granted can be said from PostgreSQL 16 on.',
  },
  {
    file: 'test/sql/schema.test.ts',
    where: ({ is_citus }) => is_citus,
    why: 'What is kept for a former version does not move there: see `shapes` in `sql/distribute.ts`.',
  },
  {
    file: 'test/workers/webhook_backlog.test.ts',
    test: 'a job and a backlog that record the same delivery at once do not wait for each other in a circle',
    where: ({ is_citus }) => is_citus,
    why: 'The same as of members.',
  },
  {
    file: 'test/api/mandates.test.ts',
    test: 'a mandate for a new agent and owner does not wait in a circle with another change of both',
    where: ({ is_citus }) => is_citus,
    why: 'The same as of members.',
  },
];

/** Whether a test is left out where the suite runs on a server of one's own. */
export const isSkipped = (file: string, title: string): boolean =>
  server !== null &&
  skipped.some(
    each =>
      file.startsWith(each.file) &&
      each.where(server) &&
      (each.test === undefined || (typeof each.test === 'string' ? title === each.test : each.test.test(title))),
  );
