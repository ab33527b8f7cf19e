export const quay = 1;
// the quay
