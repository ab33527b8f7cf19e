export default function Page() {
  return <p>Stew</p>;
}
