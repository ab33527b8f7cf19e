let litres = 1;
open();
let litres = 3;
close();
