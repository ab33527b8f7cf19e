let litres = 3;
open();
let litres = 3;
close();
