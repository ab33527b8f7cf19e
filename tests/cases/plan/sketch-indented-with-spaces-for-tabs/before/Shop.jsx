"use client";

import { useState } from "react";
import { price } from "./price";

const STYLE = `
.shop { color: green; }
.shop b { color: red; }
`;

export function Shop({ items }) {
	const [open, setOpen] = useState(false);
	const total = items.reduce((sum, item) => sum + price(item), 0);

	if (!open) {
		return <button onClick={() => setOpen(true)}>Open</button>;
	}
	return (
		<ul className="shop">
			<style>{STYLE}</style>
			{items.map((item) => (
				<li key={item.id}>{item.name}</li>
			))}
			<li>{total}</li>
		</ul>
	);
}

export function Empty() {
	return <p>Nothing here.</p>;
}
