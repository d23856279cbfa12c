import { render } from 'preact';
import { LocationProvider } from 'preact-iso';
import { dashboardPaths } from '#api/dashboard/paths.ts';
import { App } from './app.tsx';
import './style/base.css';
import './style/shell.css';
import './style/table.css';
import './style/form.css';
import './style/list.css';
import './style/parts.css';
import './style/payments.css';
import './style/review.css';
import './style/records.css';
import './style/get_started.css';
import './style/rules.css';
import './style/search.css';

// Links to anywhere else – the API reference, a file – are the browser's.
const own = new RegExp(`^(?:${dashboardPaths.map(path => path.replaceAll(/:\w+/g, '[^/]+')).join('|')})$`);

const root = document.querySelector<HTMLElement>('#dashboard');
if (root)
  render(
    <LocationProvider scope={own}>
      <App hasSession={root.dataset['session'] !== 'none'} />
    </LocationProvider>,
    root,
  );
