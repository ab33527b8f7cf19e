type payment =
  | Card of string
  | Cash
  | Voucher of string

let fee = function
  | Card _ -> 2
  | Voucher _ -> 1
  | Cash -> 0
