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

  it('knocks 8 times', () => {
    expect(knock(8)).toBe(8);
  });

  it('knocks 9 times', () => {
    expect(knock(9)).toBe(9);
  });

  it('knocks 10 times', () => {
    expect(knock(10)).toBe(10);
  });

  it('knocks 11 times', () => {
    expect(knock(11)).toBe(11);
  });

  it('knocks 12 times', () => {
    expect(knock(12)).toBe(12);
  });

  it('knocks 13 times', () => {
    expect(knock(13)).toBe(13);
  });
});
