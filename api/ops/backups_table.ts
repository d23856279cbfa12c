import type { Overview } from './overview.ts';
import { NOT_KNOWN, shortTime, table } from './tables.ts';
import { type Html, html } from '#shared/platform/html.ts';

/** The latest scheduled backups, and why those failed that did. */
export function backupsTable(backups: Overview['backups']): Html {
  if (backups === undefined) return html`<p>Not scheduled. Set <code>BACKUP_URL</code> to schedule backups.</p>`;
  if (backups === null) return NOT_KNOWN;
  if (backups.length === 0) return html`<p>None yet</p>`;
  const rows = backups.map(({ slot, name, place, state, size_bytes, error }) => [
    shortTime(slot),
    html`<code>${name}</code> in ${place}`,
    size_bytes === null ? null : (size_bytes / 1_000_000).toFixed(1),
    state === 'failed' ? html`<strong class="bad">failed</strong> <span class="text">${error}</span>` : state,
  ]);
  return table('Backups', ['Due (UTC)', 'File', '#MB', 'Result'], rows);
}
