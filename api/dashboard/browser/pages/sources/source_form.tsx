import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import type { Source } from '#shared/keys/sources.ts';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { kinds, schemes } from './kinds.ts';

type NewSource = BodyOf<'POST /v1/sources'>;
type SourceChange = BodyOf<'PATCH /v1/sources/{id}'>;

type Draft = {
  name: string;
  kind: string;
  description: string;
  key: string;
  scheme: string;
  config: string;
  secret: string;
};

/** Registers a source, or changes one. Its key and its secret are never shown: what is left empty stays as it is. */
export function SourceForm({ of, close }: { of?: Source; close: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    name: of?.name ?? '',
    kind: of?.kind ?? 'sdk',
    description: of?.description ?? '',
    key: '',
    scheme: '',
    config: of?.psp_config ? JSON.stringify(of.psp_config, null, 2) : '',
    secret: '',
  });
  const [wrong, setWrong] = useState<'key' | 'config' | null>(null);
  const created = useChange('POST /v1/sources');
  const changed = useChange('PATCH /v1/sources/{id}');
  const problem = created.problem ?? changed.problem;
  const put = (change: Partial<Draft>) => setDraft(now => ({ ...now, ...change }));
  const send = async () => {
    const bad = (['key', 'config'] as const).find(member => draft[member].trim() !== '' && !objectOf(draft[member]));
    setWrong(bad ?? null);
    if (bad) return;
    const body = bodyOf(draft, of !== undefined);
    const done = of
      ? await changed.run({ params: { id: of.id }, body: body as SourceChange })
      : await created.run({ body: body as NewSource });
    if (done) close();
  };
  const keep = of && 'Leave blank to keep the current one.';
  return (
    <Dialog title={of ? `Edit source “${of.name}”` : 'Register source'} close={close}>
      <Form
        send={send}
        busy={created.busy || changed.busy}
        problem={problem}
        button={of ? 'Save changes' : 'Register source'}
        cancel={close}
      >
        <TextField
          label="Name"
          value={draft.name}
          set={name => put({ name })}
          required
          autoFocus
          maxLength={200}
          problem={problem?.at('/name')}
        />
        <Choice label="Kind" value={draft.kind} set={kind => put({ kind })} of={kinds} problem={problem?.at('/kind')} />
        <TextField
          label="Description (optional)"
          value={draft.description}
          set={description => put({ description })}
          maxLength={2_000}
          problem={problem?.at('/description')}
        />
        <TextField
          label="Public key for signed events, as JWK (optional)"
          hint={keep}
          value={draft.key}
          set={key => put({ key })}
          lines={4}
          placeholder={'{"kty": "EC", "crv": "P-256", "x": "…", "y": "…"}'}
          problem={wrong === 'key' ? NO_JSON : problem?.at('/public_key')}
        />
        <Choice
          label="Webhook signature"
          hint={of ? 'Leave as is to keep the current one.' : 'For webhooks from a payment service.'}
          value={draft.scheme}
          set={scheme => put({ scheme })}
          none={of ? 'No change' : 'None'}
          of={schemes}
          problem={problem?.at('/psp_scheme')}
        />
        {(draft.scheme !== '' || of?.psp_scheme) && (
          <TextField
            label={draft.scheme === 'generic' ? 'Signature and mapping, as JSON' : 'Mapping, as JSON (optional)'}
            hint={
              draft.scheme === 'generic'
                ? undefined
                : 'Which agent the payments belong to, and where the webhook says so.'
            }
            value={draft.config}
            set={config => put({ config })}
            lines={4}
            placeholder={
              draft.scheme === 'generic'
                ? '{"header": "X-Signature", "algorithm": "sha256", "encoding": "hex", "signed_string": "{timestamp}.{body}"}'
                : '{"default_agent": "buyer-1", "mapping": {"owner": "/data/object/metadata/team"}}'
            }
            problem={wrong === 'config' ? NO_JSON : problem?.at('/psp_config')}
          />
        )}
        <TextField
          label="Signing secret (optional)"
          hint={`Stored encrypted and never shown again. ${keep ?? ''}`}
          value={draft.secret}
          set={secret => put({ secret })}
          autoComplete="off"
          problem={problem?.at('/signing_secret')}
        />
      </Form>
    </Dialog>
  );
}

const NO_JSON = 'Enter a JSON object.';

const bodyOf = ({ name, kind, description, key, scheme, config, secret }: Draft, isChange: boolean) => ({
  name: name.trim(),
  kind,
  ...((isChange || description.trim()) && { description: description.trim() || null }),
  ...(key.trim() && { public_key: objectOf(key) }),
  ...(scheme && { psp_scheme: scheme }),
  ...(config.trim() && { psp_config: objectOf(config) }),
  ...(secret && { signing_secret: secret }),
});

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
