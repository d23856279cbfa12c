import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import type { TrustedKey } from '#shared/keys/trusted_keys.ts';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { LocalTimeField } from '#api/dashboard/browser/parts/time_field.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { uses } from './uses.ts';

type NewTrustedKey = BodyOf<'POST /v1/trusted-keys'>;
type TrustedKeyUse = TrustedKey['use'];

type Material = { jwk: object } | { jwks: object } | { x5c_root: string };

/** Believes a key, a set of keys or a root certificate, whichever is pasted. */
export function AddTrustedKey({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  const [use, setUse] = useState<string>('ap2_issuer');
  const [kid, setKid] = useState('');
  const [issuer, setIssuer] = useState('');
  const [not_after, setNotAfter] = useState<string | null>(null);
  const [unread, setUnread] = useState(false);
  const { run, busy, problem } = useChange('POST /v1/trusted-keys');
  const material = materialOf(text);
  const isSet = material !== null && 'jwks' in material;
  const send = async () => {
    setUnread(material === null);
    if (!material) return;
    const newTrustedKey = {
      ...material,
      use: use as TrustedKeyUse,
      ...(kid.trim() && !isSet && { kid: kid.trim() }),
      ...(issuer.trim() && { issuer: issuer.trim() }),
      ...(not_after && { not_after }),
    };
    if (await run({ body: newTrustedKey as NewTrustedKey })) close();
  };
  const said = problem?.at('/jwk') ?? problem?.at('/jwks') ?? problem?.at('/x5c_root');
  return (
    <Dialog title="Add trusted key" close={close}>
      <Form send={send} busy={busy} problem={problem} button="Add trusted key" cancel={close}>
        <TextField
          label="Public key"
          hint="A JWK, a JWK set, or a root certificate (PEM). Never paste a private key."
          value={text}
          set={setText}
          lines={7}
          required
          autoFocus
          placeholder={'{"kty": "EC", "crv": "P-256", "x": "…", "y": "…"}'}
          problem={unread && material === null ? 'Enter a JWK, a JWK set, or a certificate (PEM).' : said}
        />
        <Choice label="Trusted for" value={use} set={setUse} of={uses} problem={problem?.at('/use')} />
        <TextField
          label="Issuer (optional)"
          hint="Whose key it is. Signatures that name another issuer are not accepted."
          value={issuer}
          set={setIssuer}
          maxLength={2_000}
          placeholder="https://wallet.example"
          problem={problem?.at('/issuer')}
        />
        {!isSet && (
          <TextField
            label="Key ID (optional)"
            hint="The ID signatures refer to. Defaults to the key’s kid, or its thumbprint."
            value={kid}
            set={setKid}
            maxLength={200}
            problem={problem?.at('/kid')}
          />
        )}
        <LocalTimeField
          label="Expires (optional)"
          hint="Without a date, a key is trusted until you revoke it, and a certificate until it expires."
          at={not_after}
          set={setNotAfter}
          problem={problem?.at('/not_after')}
        />
      </Form>
    </Dialog>
  );
}

function materialOf(text: string): Material | null {
  const material = text.trim();
  if (material.startsWith('-----BEGIN CERTIFICATE-----')) return { x5c_root: material };
  try {
    const value: unknown = JSON.parse(material);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return 'keys' in value ? { jwks: value } : { jwk: value };
  } catch {
    return null;
  }
}
