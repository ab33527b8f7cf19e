export function Harbour({ boats, tide }: Props) {
  return (
    <Pier>
      <h2>Boats at the pier</h2>
      {boats.map((boat) => (
        <Berth key={boat.name} boat={boat} />
      ))}
      {/* <h2>
        Tide
      </h2>
      <ul>
        <li>High water at noon.</li>
      </ul> */}
      <Tide level={tide} />
    </Pier>
  );
}
