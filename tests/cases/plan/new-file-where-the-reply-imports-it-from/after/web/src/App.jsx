import { Sum } from './parts/Sum';

export const App = () => <Sum />;

export const name = 'till';
export const rooms = [1, 2];
