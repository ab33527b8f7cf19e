import 'item.dart';

/// What one user wants to buy.
class Cart {
  final List<Item> _items = [];

  int get count => _items.length;

  double total({double discount = 0}) {
    var sum = 0.0;
    for (final item in _items) {
      sum += item.price;
    }
    return sum * (1 - discount);
  }

  void add(Item item) {
    _items.add(item);
  }
}
