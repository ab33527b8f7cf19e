export default function Page() {
  return <p>Soup</p>;
}
