import './ui/theme.css';
import './ui/layout.css';
import { RouterProvider } from '@tanstack/react-router';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { watchForRelease } from './frame/outdated';
import { applyTheme } from './frame/preferences';
import { router } from './routes/router';

applyTheme();
watchForRelease();

const root = document.getElementById('root');
if (root === null) throw new Error('the shell has no root element');
createRoot(root).render(
  <I18nProvider locale="en-US">
    <RouterProvider router={router} />
  </I18nProvider>,
);
