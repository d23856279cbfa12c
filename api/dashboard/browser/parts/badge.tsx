import { wordsOf } from './format.ts';

type Tone = 'good' | 'warn' | 'bad' | 'critical' | 'info' | 'plain';

/** The tone in which each word of the API is shown. The word is always there too: nothing is told by color alone. */
const tones: Record<string, Tone> = {
  verified: 'good',
  compliant: 'good',
  clear: 'good',
  ready: 'good',
  delivered: 'good',
  settled: 'good',
  pass: 'good',
  active: 'good',
  resolved: 'good',
  done: 'good',
  accepted: 'good',
  inconclusive: 'warn',
  unresolved: 'warn',
  potential_match: 'warn',
  medium: 'warn',
  escalated: 'warn',
  paused: 'warn',
  stale: 'warn',
  disputed: 'warn',
  exhausted: 'warn',
  shadow: 'warn',
  failed: 'bad',
  breach: 'bad',
  fail: 'bad',
  high: 'bad',
  error: 'bad',
  confirmed_match: 'bad',
  refused: 'bad',
  blocked: 'bad',
  revoked: 'bad',
  critical: 'critical',
  open: 'info',
  investigating: 'info',
  pending: 'info',
  queued: 'info',
  building: 'info',
  running: 'info',
  authorized: 'info',
  acknowledged: 'info',
};

/** A severity as its bars alone, where there are many; the word is for screen readers, and on hover. */
export const LevelBadge = ({ of }: { of: keyof typeof levels }) => (
  <span class={`badge mark-only ${tones[of] ?? 'plain'}`} title={wordsOf(of)}>
    <Level of={levels[of] ?? 0} />
    <span class="unseen">{wordsOf(of)}</span>
  </span>
);

/** A state, a result, a severity. */
export const Badge = ({ of, label, title }: { of: string; label?: string; title?: string }) => (
  <span class={`badge ${tones[of] ?? 'plain'}`} title={title}>
    {levels[of] !== undefined && <Level of={levels[of]} />}
    {label ?? wordsOf(of)}
  </span>
);

const levels: Record<string, number> = { low: 1, medium: 2, high: 3, critical: 4 };

/** How severe, as bars: so many of four are filled. */
const Level = ({ of }: { of: number }) => (
  <svg class="level" width="13" height="12" viewBox="0 0 13 12" fill="currentColor" aria-hidden="true">
    {[1, 2, 3, 4].map(bar => (
      <rect
        key={bar}
        x={(bar - 1) * 3.5}
        y={12 - bar * 3}
        width="2.5"
        height={bar * 3}
        rx="0.8"
        opacity={bar <= of ? 1 : 0.3}
      />
    ))}
  </svg>
);
