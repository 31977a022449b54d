// Starts the inspector's page.

import { createRoot } from 'react-dom/client';
import { Store } from './record/store.ts';
import './styles.css';
import { App } from './views/app.tsx';

const element = document.getElementById('page');
if (element === null) throw new Error('The page has no element to stand in.');
const store = new Store();
store.start();
createRoot(element).render(<App store={store} />);
