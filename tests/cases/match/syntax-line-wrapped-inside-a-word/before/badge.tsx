export function Badge({ boat }: Props) {
  return (
    <a
      href={boat.link}
      title="Moored at the north pier until the
 tide turns"
      className="rounded px-2 py-1 text-sm font-
medium bg-sky-200"
    >
      {boat.name}
    </a>
  );
}
