import { useState } from "react";

type Props = {
  label: string;
  start?: number;
};

export function Counter({ label, start = 0 }: Props) {
  const [count, setCount] = useState(start);

  return (
    <button type="button" onClick={() => setCount((before) => before + 1)}>
      {label}: {count}
    </button>
  );
}
