"use client";

import { useState } from "react";
import { price } from "./price";
import { track } from "./track";

const STYLE = `
.shop { color: green; }
.shop b { color: red; }
`;

export function Shop({ items }) {
	const [open, setOpen] = useState(false);
	const [seen, setSeen] = useState(0);
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
			<li>{seen}</li>
		</ul>
	);
}

export function Empty() {
	track("empty");
	return <p>Nothing here.</p>;
}

export function Closed() {
	return <p>Come back tomorrow.</p>;
}
