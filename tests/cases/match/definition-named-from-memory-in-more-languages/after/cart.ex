defmodule Shop.Cart do
  alias Shop.Item

  def new(user), do: %{user: user, items: []}

  @doc "What all items cost."
  def total(cart, discount) do
    prices = Enum.map(cart.items, & &1.price)
    sum = Enum.sum(prices)
    round(sum * (1 - discount))
  end

  def add(cart, item) do
    %{cart | items: [item | cart.items]}
  end
end
