import { useEffect, useState } from 'preact/hooks';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

const SEEN = 'incidents_seen_at';
/** Beyond, "50+" says enough. */
const MOST = 50;
/** What the page itself asks for comes first. */
const AFTER_THE_PAGE = 1_000;

/** How many open incidents are newer than the reader's last look at them: `3`, `50+`; empty for none. The tab's title begins with it. */
export function useUnread(path: string): string {
  const [seen, setSeen] = useState(() => localStorage.getItem(SEEN) ?? new Date().toISOString());
  const isLooking = path.startsWith('/incidents');
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), AFTER_THE_PAGE);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useReading(
    'GET /v1/incidents',
    isDue ? { query: { state: 'open', snoozed: 'false', sort: 'created_at', limit: MOST } } : null,
    SLOW,
  );
  useEffect(() => {
    if (!isLooking && localStorage.getItem(SEEN)) return;
    const now = new Date().toISOString();
    localStorage.setItem(SEEN, now);
    setSeen(now);
  }, [isLooking, data]);
  const count = isLooking ? 0 : (data?.data.filter(({ created_at }) => created_at > seen).length ?? 0);
  const text = count === 0 ? '' : count === MOST ? `${MOST}+` : String(count);
  useEffect(() => setUnread(text), [text]);
  return text;
}

let unread = '';
let title = '';

/** The title of the page that is shown. */
export function setTitle(of: string): void {
  title = of;
  document.title = `${unread && `(${unread}) `}${title}`;
}

function setUnread(text: string): void {
  unread = text;
  setTitle(title || document.title);
}
