import { useState } from 'preact/hooks';
import type { DataOf } from '#api/client/call.ts';
import { allScopes, scopes } from '#shared/interface/scopes.ts';
import { CopyBlock } from '#api/dashboard/browser/parts/copy_block.tsx';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Form, TextField, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { capitalized } from '#api/dashboard/browser/parts/format.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

type CreatedApiKey = DataOf<'POST /v1/api-keys'>;

/** Makes a key, and shows it the one time that it can be seen. */
export function NewKey({ close }: { close: () => void }) {
  const { me } = useSession();
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>(['events:write']);
  const { run, busy, problem } = useChange('POST /v1/api-keys');
  const send = async () => {
    const env = me.environment === 'production' ? 'live' : 'test';
    const ticked = allScopes.filter(scope => chosen.includes(scope));
    const key = await run({ body: { name: name.trim(), env, scopes: ticked } });
    if (key) setCreated(key);
  };
  if (created) return <MadeKey made={created} close={close} />;
  return (
    <Dialog title="Create API key" close={close}>
      <Form send={send} busy={busy} problem={problem} button="Create API key" cancel={close}>
        <TextField
          label="Name"
          hint="What the key is for, such as “checkout agent”."
          value={name}
          set={setName}
          required
          maxLength={200}
          autoFocus
          problem={problem?.at('/name')}
        />
        <fieldset>
          <legend>Permissions</legend>
          {allScopes.map(scope => (
            <Tick
              key={scope}
              label={capitalized(scopes[scope])}
              hint={scope}
              value={chosen.includes(scope)}
              set={on => setChosen(on ? [...chosen, scope] : chosen.filter(other => other !== scope))}
            />
          ))}
          {problem?.at('/scopes') && (
            <small class="wrong" role="alert">
              {problem.at('/scopes')}
            </small>
          )}
        </fieldset>
      </Form>
    </Dialog>
  );
}

function MadeKey({ made: { key, name }, close }: { made: CreatedApiKey; close: () => void }) {
  return (
    <Dialog title={`API key “${name}” created`} close={close} firm>
      <p>
        Copy the key now and store it as you would a password. <strong>It won’t be shown again.</strong>
      </p>
      <CopyBlock text={key} label="API key" button="Copy key" />
      <p>Test it:</p>
      <pre class="wrap">{`curl ${location.origin}/v1/me -H "Authorization: Bearer ${key}"`}</pre>
      <div class="actions">
        <button type="button" class="main" onClick={close}>
          I saved the key
        </button>
      </div>
    </Dialog>
  );
}
