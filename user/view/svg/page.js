// SPDX-License-Identifier: GPL-2.0-or-later
// Plots and heat maps of a page: values under the pointer, cells drawn.
(function () {
'use strict';

function size(bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let i = 0;
	for (; bytes >= 1024 && i < units.length - 1; i++)
		bytes /= 1024;
	return (i ? bytes.toPrecision(3) : bytes) + ' ' + units[i];
}

function plot(figure) {
	const svg = figure.querySelector('svg');
	const out = figure.querySelector('output');
	const cross = figure.querySelector('.cross');
	const seconds = +figure.dataset.seconds;
	const bytes = figure.dataset.bytes === '1';
	const lines = Array.from(figure.querySelectorAll('.line'), function (e) {
		return { name: e.dataset.name, t: e.dataset.t.split(',').map(Number), v: e.dataset.v.split(',').map(Number) };
	});

	svg.addEventListener('mousemove', function (event) {
		const box = svg.getBoundingClientRect();
		const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
		const at = share * seconds;
		cross.setAttribute('x1', share * 1000);
		cross.setAttribute('x2', share * 1000);
		out.textContent = at.toFixed(3) + ' s: ' + lines.map(function (l) {
			let best = 0;
			for (let i = 1; i < l.t.length; i++)
				if (Math.abs(l.t[i] - at) < Math.abs(l.t[best] - at))
					best = i;
			const value = l.v[best] || 0;
			return l.name + ' ' + (bytes ? size(value) : Math.round(value).toLocaleString('en'));
		}).join(', ');
	});
	svg.addEventListener('mouseleave', function () {
		out.textContent = '';
		cross.setAttribute('x1', -9);
		cross.setAttribute('x2', -9);
	});
}

function colour(name) {
	const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	return [1, 3, 5].map(function (i) { return parseInt(hex.slice(i, i + 2), 16); });
}

function heat(figure) {
	const canvas = figure.querySelector('canvas');
	const out = figure.querySelector('output');
	const rows = +figure.dataset.rows, columns = +figure.dataset.columns, seconds = +figure.dataset.seconds;
	const cells = figure.dataset.cells.split(';').filter(Boolean).map(function (c) { return c.split(',').map(Number); });
	const values = new Map(cells.map(function (c) { return [c[0], c]; }));
	const bands = Array.from(figure.querySelectorAll('.band'), function (e) {
		return { name: e.textContent, row: +e.dataset.row, rows: +e.dataset.rows, start: BigInt(e.dataset.start),
			end: BigInt(e.dataset.end) };
	});
	let most = 1;
	for (const c of cells)
		most = Math.max(most, c[1]);

	function draw() {
		const context = canvas.getContext('2d');
		const image = context.createImageData(columns, rows);
		const back = colour('--back'), first = colour('--c0'), again = colour('--c1');
		for (let i = 0; i < rows * columns; i++)
			image.data.set([back[0], back[1], back[2], 255], i * 4);
		for (const c of cells) {
			// Counts differ by powers: the logarithm keeps the few visible beside the many.
			const depth = 0.25 + 0.75 * Math.log1p(c[1]) / Math.log1p(most);
			const share = c[2] / c[1];
			for (let k = 0; k < 3; k++) {
				const ink = first[k] * (1 - share) + again[k] * share;
				image.data[c[0] * 4 + k] = back[k] * (1 - depth) + ink * depth;
			}
		}
		context.putImageData(image, 0, 0);
	}

	canvas.addEventListener('mousemove', function (event) {
		const box = canvas.getBoundingClientRect();
		const column = Math.min(columns - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * columns)));
		const row = Math.min(rows - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * rows)));
		const band = bands.find(function (b) { return row >= b.row && row < b.row + b.rows; });
		const cell = values.get(row * columns + column) || [0, 0, 0];
		if (!band)
			return;
		const address = band.start + (band.end - band.start) * BigInt(row - band.row) / BigInt(band.rows);
		out.textContent = (column / columns * seconds).toFixed(3) + ' s, 0x' + address.toString(16) + ' ' + band.name + ': ' +
			cell[1].toLocaleString('en') + ' faults, ' + cell[2].toLocaleString('en') + ' refaults';
	});
	canvas.addEventListener('mouseleave', function () { out.textContent = ''; });
	window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
	draw();
}

document.querySelectorAll('figure.plot').forEach(plot);
document.querySelectorAll('figure.heat').forEach(heat);
})();
