import { shortened } from '#api/dashboard/browser/parts/format.ts';

/** The pages of things, by the prefix of their ids. */
const pages: Record<string, string> = {
  agt: '/agents/',
  alr: '/alerts/',
  bkt: '/backtests/',
  cas: '/cases/',
  evt: '/events/',
  inc: '/incidents/',
  mnd: '/mandates/',
  own: '/owners/',
  pck: '/packs/',
  pye: '/payees/',
  scr: '/screenings/',
};

/** The pages that list things which have none of their own. */
const lists: Record<string, string> = {
  key: '/api-keys',
  lsn: '/detectors',
  src: '/sources',
  usr: '/members',
  whe: '/webhooks',
  whd: '/webhooks',
};

/** What was changed, linked to where it can be seen. Detectors and trusted keys go by their names. */
export function TargetLink({ id, action }: { id: string; action: string }) {
  const href = addressOf(id, action);
  const text = <code>{/^[a-z]{3}_/.test(id) ? shortened(id) : id}</code>;
  return href ? (
    <a href={href} title={id}>
      {text}
    </a>
  ) : (
    <span title={id}>{text}</span>
  );
}

function addressOf(id: string, action: string): string | null {
  if (action.startsWith('detector.')) return `/detectors/${encodeURIComponent(id)}`;
  if (action.startsWith('trusted_key.')) return '/trusted-keys';
  const prefix = /^([a-z]{3})_[0-9A-Z]{26}$/.exec(id)?.[1] ?? '';
  return pages[prefix] === undefined ? (lists[prefix] ?? null) : pages[prefix] + id;
}
