import { warmDashboard } from '#api/dashboard/dashboard.ts';
import { startApi } from './server.ts';
import { helpText } from '#shared/settings/describe_settings.ts';
import { runProcess } from '#shared/running/process.ts';

// The `web` process of the Procfile.
if (process.argv.includes('--help')) {
  process.stdout.write(helpText('Usage: bin/node api/main.ts     Serves the API and the dashboard.'));
  process.exit(0);
}

await runProcess('web', async services => {
  const api = await startApi(services);
  void warmDashboard(services.log);
  return api.stop;
});
