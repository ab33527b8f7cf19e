import { knock } from './knock';

describe('knock', () => {
  it('knocks 0 times', () => {
    expect(knock(0)).toBe(0);
  });

  it('knocks 1 times', () => {
    expect(knock(1)).toBe(1);
  });

  it('knocks 2 times', () => {
    expect(knock(2)).toBe(2);
  });

  it('knocks 3 times', () => {
    expect(knock(3)).toBe(3);
  });

  it('knocks 4 times', () => {
    expect(knock(4)).toBe(4);
  });

  it('knocks 5 times', () => {
    expect(knock(5)).toBe(5);
  });

  it('knocks 6 times', () => {
    expect(knock(6)).toBe(6);
  });

  it('knocks 7 times', () => {
    expect(knock(7)).toBe(7);
  });
});
