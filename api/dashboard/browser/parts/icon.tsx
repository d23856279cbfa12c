import { h } from 'preact';
import {
  Archive,
  Bell,
  Bookmark,
  BookOpen,
  Bot,
  Building2,
  ChevronDown,
  ChevronUp,
  Columns3,
  Download,
  Eraser,
  Fingerprint,
  Folder,
  History,
  House,
  type IconNode,
  Inbox,
  KeyRound,
  ListTree,
  LogOut,
  Plug,
  Radar,
  ReceiptText,
  Rocket,
  ScrollText,
  Search,
  SearchCheck,
  Siren,
  Store,
  UserRound,
  Users,
  Webhook,
  X,
} from 'lucide';

const icons = {
  archive: Archive,
  bell: Bell,
  book: BookOpen,
  bookmark: Bookmark,
  bot: Bot,
  building: Building2,
  close: X,
  columns: Columns3,
  down: ChevronDown,
  download: Download,
  eraser: Eraser,
  fingerprint: Fingerprint,
  folder: Folder,
  history: History,
  house: House,
  inbox: Inbox,
  key: KeyRound,
  log: ListTree,
  out: LogOut,
  plug: Plug,
  radar: Radar,
  receipt: ReceiptText,
  rocket: Rocket,
  scroll: ScrollText,
  search: Search,
  search_check: SearchCheck,
  siren: Siren,
  store: Store,
  up: ChevronUp,
  user: UserRound,
  users: Users,
  webhook: Webhook,
} satisfies Record<string, IconNode>;

export type IconName = keyof typeof icons;

/** A small picture beside a word that says the same: screen readers are told nothing of it. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {icons[name].map(([tag, attributes]) => h(tag, attributes))}
  </svg>
);

/** The mark of the product: an eye on a line of payments. The same drawing is the icon of the tab. */
export const Mark = () => (
  <svg class="mark" width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M6 16c3-5 6.5-7.5 10-7.5S23 11 26 16c-3 5-6.5 7.5-10 7.5S9 21 6 16z" />
    <circle cx="16" cy="16" r="3.5" />
  </svg>
);
