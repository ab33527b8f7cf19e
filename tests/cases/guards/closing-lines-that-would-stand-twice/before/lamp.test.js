describe("lamp", () => {
  it("shines", () => {
    light();
  });
});
