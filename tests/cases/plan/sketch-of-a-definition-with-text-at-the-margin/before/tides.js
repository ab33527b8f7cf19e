const query = `
select *
  from tides
`;

function rise() {
  run(`
select *
`);
}

function fall() {
  stop();
}
