import { Copy } from '#api/dashboard/browser/parts/values.tsx';

/** Codes for when the second factor is lost; shown this once. */
export const RecoveryCodesNote = ({ codes, done }: { codes: string[]; done: () => void }) => (
  <>
    <p>
      Keep these codes where you keep passwords. Each signs you in once when your app or passkey is lost.{' '}
      <strong>They are not shown again.</strong>
    </p>
    <ul class="codes">
      {codes.map(code => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div class="actions">
      <button type="button" class="main" onClick={done}>
        I have kept them
      </button>
      <Copy text={codes.join('\n')} label="all codes" />
    </div>
  </>
);
