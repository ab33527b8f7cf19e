export function Badge({ boat }: Props) {
  return (
    <a
      href={boat.link}
      title="Moored at the north pier until the
 tide turns"
      className="rounded px-4 py-1 text-sm 
font-medium bg-sky-400"
    >
      {boat.name}
    </a>
  );
}
