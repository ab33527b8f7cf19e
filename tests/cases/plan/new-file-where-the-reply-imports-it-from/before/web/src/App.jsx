export const App = () => <b>Till</b>;

export const name = 'till';
export const rooms = [1, 2];
