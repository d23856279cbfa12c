import { warmDashboard } from '#api/dashboard/dashboard.ts';
import { startApi } from './server.ts';
import { runProcess } from '#shared/running/process.ts';

// The `web` process of the Procfile.
await runProcess('web', async services => {
  const api = await startApi(services);
  void warmDashboard(services.log);
  return api.stop;
});
