import '#bin/admin/run_admin.ts';
import './all_in_one.ts';
import { dashboardBundle } from '#api/dashboard/bundle.ts';

// `npm run build`: leaves in `node_modules/.cache` what a first start would leave there, for images whose files are not written again:
// the bundle of the dashboard, and all code compiled (Node writes it when this ends).
await dashboardBundle();
