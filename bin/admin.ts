import { runAdmin } from '#bin/admin/run_admin.ts';

// The operator's tool: `npm run -s admin -- <command> [--json]`. Works beside a running service and without one.
const { argv, stdout, stderr } = process;
const code = await runAdmin(argv.slice(2), { stdout, stderr });
// The output is written completely; anything a failure left open is not awaited.
if (code !== 0) process.exit(code);
