import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Field, Form, TextField, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { PickInput } from '#api/dashboard/browser/parts/pick_filter.tsx';
import { localOf, utcOf } from '#api/dashboard/browser/parts/time_field.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import type { PackKind } from '#shared/packs/pack_files.ts';
import { packKinds } from './pack_kinds.ts';
import { ScopeText } from './pack_scope.tsx';

type NewPack = BodyOf<'POST /v1/packs'>;

type Way = 'case_id' | 'alert_id' | 'event_id' | 'payment_id' | 'agent_id';

const ways: [way: Way, label: string, hint: string][] = [
  ['case_id', 'Case', 'Search by title, or paste a case ID. Includes the events of the case and its alerts.'],
  ['alert_id', 'Alerts', 'Alert IDs, such as alr_…, separated by spaces. Includes their related events.'],
  ['event_id', 'Events', 'Event IDs, such as evt_…, separated by spaces.'],
  ['payment_id', 'Payment', 'Your payment ID. Includes every event of the payment.'],
  ['agent_id', 'Agent activity', 'Search by name, or paste an agent ID.'],
];

/** Evidence that says who somebody is, or holds what others could use; any other kind can be named. */
const evidenceKinds = [
  'x402.payment_payload',
  'x402.settlement_response',
  'ap2.payment_mandate',
  'ap2.checkout_mandate',
  'psp.webhook',
  'http.message_signature',
  'kyapay.token',
];

const LONGEST_TITLE = 200;
const WEEK = 7 * 86_400_000;

/** Asks for a pack; the address may say what it is about. Then goes to it. */
export function NewPackDialog() {
  const { query, set } = useQuery();
  const { route } = useLocation();
  const { run, busy, problem } = useChange('POST /v1/packs');
  const link = useChange('POST /v1/cases/{id}/links');
  const preset = ways.find(([way]) => query[way]);
  const [kind, setKind] = useState<PackKind>(kindFor(preset?.[0]));
  const [way, setWay] = useState<Way>(preset?.[0] ?? 'case_id');
  const [id, setId] = useState((preset && query[preset[0]]) ?? '');
  const [from, setFrom] = useState(localText(Date.now() - WEEK));
  // The end is not in it: the minute that is on is.
  const [to, setTo] = useState(localText(Date.now() + 60_000));
  const [title, setTitle] = useState('');
  const [redact, setRedact] = useState<string[]>([]);
  const [more, setMore] = useState('');
  const about = useAbout(query['case_id'], query['alert_id']);
  useEffect(() => setTitle(title => title || about), [about]);
  const close = () => set({ new: undefined, ...Object.fromEntries(ways.map(([way]) => [way, undefined])) });
  const scope = scopeOf(way, id, from, to);
  const send = async () => {
    const body = { kind, title: title.trim() || null, scope, redact: [...redact, ...idsIn(more)] };
    const pack = await run({ body });
    if (!pack) return;
    // So that whoever reads the case finds it there.
    if (way === 'case_id') await link.run({ params: { id: id.trim() }, body: { pack_ids: [pack.id] } });
    route(`/packs/${pack.id}`, true);
  };
  const picked = way === 'case_id' ? 'case' : way === 'agent_id' ? 'agent' : null;
  const hint = ways.find(([name]) => name === way)?.[2] ?? '';
  return (
    <Dialog title="Build pack" close={close}>
      <Form send={send} busy={busy} problem={problem} button="Build pack" cancel={close}>
        {preset ? (
          <div class="note">
            <ScopeText scope={scope} />
          </div>
        ) : (
          <Choice
            label="Contents"
            value={way}
            set={value => {
              setWay(ways.find(([name]) => name === value)?.[0] ?? 'case_id');
              setId('');
            }}
            of={ways.map(([name, label]) => [name, label] as const)}
          />
        )}
        {preset ? null : picked ? (
          <Field key={way} label={wordsOf(picked)} hint={hint}>
            {tie => <PickInput {...tie} of={picked} value={id} set={setId} required autoFocus />}
          </Field>
        ) : (
          <TextField key={way} label="ID" hint={hint} value={id} set={setId} required maxLength={4_000} autoFocus />
        )}
        {way === 'agent_id' && (
          <div class="field-row">
            <TextField label="From" type="datetime-local" value={from} set={setFrom} required />
            <TextField label="To" type="datetime-local" value={to} set={setTo} required />
          </div>
        )}
        <fieldset class="kinds-of">
          <legend>Report type</legend>
          {packKinds.map(({ kind: one, name, about }) => (
            <label key={one} class="tick">
              <input type="radio" name="kind" value={one} checked={kind === one} onChange={() => setKind(one)} />
              <span>
                {name}
                <small class="quiet"> {about}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <TextField
          label="Title (optional)"
          value={title}
          set={setTitle}
          maxLength={LONGEST_TITLE}
          problem={problem?.at('/title')}
        />
        <details>
          <summary>Redact evidence</summary>
          <p class="quiet">
            Selected evidence is left out of the pack. Its hash stays in, so the original can be verified later.
          </p>
          {evidenceKinds.map(one => (
            <Tick
              key={one}
              label={one}
              value={redact.includes(one)}
              set={on => setRedact(on ? [...redact, one] : redact.filter(other => other !== one))}
            />
          ))}
          <TextField
            label="Other kinds (optional)"
            hint="Separated by spaces, exactly as sent."
            value={more}
            set={setMore}
            problem={problem?.at('/redact')}
          />
        </details>
      </Form>
    </Dialog>
  );
}

/** What the case or the alerts that the pack is of are called, as far as it is known. */
function useAbout(case_id: string | undefined, alert_id: string | undefined): string {
  const { data: own_case } = useReading('GET /v1/cases/{id}', case_id ? { params: { id: case_id } } : null, STILL);
  const [id, ...others] = idsIn(alert_id ?? '');
  const { data: alert } = useReading('GET /v1/alerts/{id}', id ? { params: { id } } : null, STILL);
  if (alert && others.length > 0) return `${alert.title} and more`.slice(0, LONGEST_TITLE);
  return own_case?.title ?? alert?.title.slice(0, LONGEST_TITLE) ?? '';
}

const kindFor = (way: Way | undefined): PackKind => (way === 'agent_id' ? 'agent_activity_report' : 'evidence_pack');

const idsIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

function scopeOf(way: Way, id: string, from: string, to: string): NewPack['scope'] {
  if (way === 'case_id') return { case_id: id.trim() };
  if (way === 'payment_id') return { payment_id: id.trim() };
  if (way === 'alert_id') return { alert_ids: idsIn(id) };
  if (way === 'event_id') return { event_ids: idsIn(id) };
  return { agent_id: id.trim(), from: utcOf(from), to: utcOf(to) };
}

/** Milliseconds as the value of a datetime-local input. */
const localText = (time: number): string => localOf(new Date(time).toISOString());
