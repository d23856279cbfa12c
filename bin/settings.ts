import { readFileSync, writeFileSync } from 'node:fs';
import { withSettingsTable } from '#shared/settings/describe_settings.ts';

// Writes the table of the settings where the manual marks its place.
const manual = new URL('../docs/operating.md', import.meta.url);
writeFileSync(manual, withSettingsTable(readFileSync(manual, 'utf8')));
