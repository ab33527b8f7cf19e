export const Sum = () => <b>Till</b>;
