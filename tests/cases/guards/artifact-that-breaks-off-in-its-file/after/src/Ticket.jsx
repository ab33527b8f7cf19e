import { berth } from "./berth";

export function Ticket({ guest }) {
  const price = berth(guest);

  const pay = async () => {
    await till(price);
  };

  return <Slip onPay={pay} price={price} />;
}
