SELECT orders.id, orders.total
/* joined with the
   customers */
FROM orders JOIN customers ON customers.id = orders.customer
WHERE orders.paid
ORDER BY orders.total DESC;
