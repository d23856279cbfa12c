import { fullPack } from './full_pack.ts';
import { type PackContents, packEvent, packMatch, packScreening } from './pack_world.ts';

/** Names that try to be more than names: in HTML, in Typst, for the eye, by their length. */
export const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' style='position:fixed",
  '</td></tr></table><h1>Verified</h1>',
  '<!-- share-bar -->',
  '&lt;b&gt; &amp; ]]>',
  '#panic("x") #read("/etc/passwd") $x^2$ *bold* _under_ @label <label>',
  '= Heading\n\n#import "@preview/x:1.0.0"',
  'evil\u202Egnp.exe',
  'a\u2066\u2067\u2069\u200F\u0000\u001B[31m',
  `zalgo${'\u0301\u0489'.repeat(200)}`,
  'مطعم 42 ABC (x)',
  'ABC مطعم',
  'x'.repeat(10_000),
  '\u202E'.repeat(10_000),
  '\uD800\uFFFF\u{F0000}\u{E0041}',
];

/** A pack in which everybody who may write something writes these. */
export function hostilePack(): PackContents {
  const pack = fullPack('evidence_pack', { title: hostile[0] ?? '' });
  const all = hostile.join(' ');
  return {
    ...pack,
    header: { ...pack.header, organization: { ...pack.header.organization, name: hostile[3] ?? '' } },
    events: hostile.map((name, index) => ({
      ...packEvent({
        seq: index + 1,
        payee: index,
        payee_name: name,
        agent: index,
        agent_name: name,
        payment_id: name,
      }),
      agent: { id: `agt_${index}`, external_id: name, name },
    })),
    evidence: pack.evidence.map(item => ({ ...item, kind: all })),
    verifications: pack.verifications.map(run => ({
      ...run,
      checks: run.checks.map(check => ({ ...check, detail: all })),
    })),
    mandates: pack.mandates.map(mandate => ({
      ...mandate,
      name: all,
      external_ref: all,
      constraints: [{ type: all, value: all }],
    })),
    evaluations: pack.evaluations.map(evaluation => ({
      ...evaluation,
      constraints: [{ type: all, result: evaluation.result, observed: all, limit: all }],
    })),
    alerts: pack.alerts.map(alert => ({
      ...alert,
      title: all,
      explanation: all,
      actions: alert.actions.map(action => ({ ...action, reason: all })),
    })),
    screenings: hostile.map((name, index) => {
      const usual = packScreening(index);
      const matches = [packMatch(index, { name, matched_name: all, programs: [all], list: all, entry_id: all })];
      return { ...usual, state: 'potential_match', query: { ...usual.query, name, key: name }, matches, reason: all };
    }),
    case: pack.case && {
      ...pack.case,
      title: all,
      closing_note: all,
      timeline: pack.case.timeline.map(entry => (entry.kind === 'commented' ? { ...entry, text: all } : entry)),
    },
  };
}
