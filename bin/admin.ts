import { runAdmin } from '#bin/admin/run_admin.ts';

// The operator's tool: `npm run -s admin -- <command> [--json]`. Works beside a running service and without one.
const { argv, stdout, stderr } = process;
const code = await runAdmin(argv.slice(2), { stdout, stderr });
// An answer is waited for until it is written; whatever a failure left open is not.
if (code !== 0) process.exit(code);
