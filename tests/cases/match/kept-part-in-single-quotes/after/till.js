const hours = 12;
const till = open('north', 'r', hours + 1);
