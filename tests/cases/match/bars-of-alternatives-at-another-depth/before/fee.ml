type payment =
  | Card of string
  | Cash

let fee = function
  | Card _ -> 2
  | Cash -> 0
