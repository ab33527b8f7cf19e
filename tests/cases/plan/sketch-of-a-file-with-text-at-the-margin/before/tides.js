const query = `
select *
  from tides
`;

function rise() {
  run(query);
}

function fall() {
  stop();
}
