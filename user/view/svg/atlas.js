// SPDX-License-Identifier: GPL-2.0-or-later
// The map of faults by address and time: what is under the pointer.
(function () {
'use strict';

function size(bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let i = 0;
	for (; bytes >= 1024 && i < units.length - 1; i++)
		bytes /= 1024;
	return (i ? +bytes.toPrecision(3) : bytes) + ' ' + units[i];
}

function atlas(root) {
	const tip = root.querySelector('.tip');
	const lines = tip.querySelectorAll('text');
	const columns = +root.dataset.columns, seconds = +root.dataset.seconds;

	const bands = new Map(Array.from(root.querySelectorAll('svg.b'), function (svg) {
		const rows = +svg.dataset.rows, bytes = BigInt(svg.dataset.bytes), start = BigInt(svg.dataset.start);
		const areas = Array.from(svg.querySelectorAll('desc'), function (e) {
			return { name: e.textContent, start: BigInt(e.dataset.start), end: BigInt(e.dataset.end) };
		});
		let cells;

		function cell(row, column) {
			if (!cells)
				cells = new Map(svg.dataset.cells.split(';').filter(Boolean).map(function (text) {
					const c = text.split(',').map(Number);
					return [c[0] * columns + c[1], c];
				}));
			return cells.get(row * columns + column) || [0, 0, 0, 0];
		}

		function area(row) {
			return areas[row] || { name: svg.dataset.name, start: start + bytes * BigInt(row), end: start + bytes * BigInt(row + 1) };
		}

		return [svg, { box: svg.querySelector('.bg'), rows: rows, cell: cell, area: area }];
	}));

	function hide() {
		tip.setAttribute('visibility', 'hidden');
	}

	function clip(value, most) {
		return Math.min(most - 1, Math.max(0, Math.floor(value)));
	}

	root.addEventListener('pointermove', function (event) {
		const svg = event.target.closest ? event.target.closest('svg.b') : null;
		const band = bands.get(svg);

		if (!band)
			return hide();
		const box = band.box.getBoundingClientRect(), page = root.getBoundingClientRect();
		const column = clip((event.clientX - box.left) / box.width * columns, columns);
		const row = clip((event.clientY - box.top) / box.height * band.rows, band.rows);
		const area = band.area(row), cell = band.cell(row, column), step = seconds / columns;

		lines[0].textContent = area.name;
		lines[1].textContent = '0x' + area.start.toString(16) + ' to 0x' + area.end.toString(16) + ', ' + size(Number(area.end - area.start));
		lines[2].textContent = (column * step).toFixed(3) + ' to ' + ((column + 1) * step).toFixed(3) + ' s: ' +
			cell[2].toLocaleString('en') + ' faults, ' + cell[3].toLocaleString('en') + ' refaults';
		let wide = 0;
		for (const line of lines) {
			// A path of any length: its end says more than its beginning.
			while (line.getComputedTextLength() > page.width - 30 && line.textContent.length > 8)
				line.textContent = '\u2026' + line.textContent.slice(8);
			wide = Math.max(wide, line.getComputedTextLength());
		}
		const x = Math.max(2, Math.min(event.clientX - page.left + 12, page.width - wide - 20));
		const below = event.clientY + 76 < window.innerHeight;
		const y = event.clientY - page.top + (below ? 16 : -62);
		tip.querySelector('rect').setAttribute('width', wide + 16);
		tip.setAttribute('transform', 'translate(' + x + ' ' + y + ')');
		tip.setAttribute('visibility', 'visible');
	});
	root.addEventListener('pointerleave', hide);
}

document.querySelectorAll('svg.atlas').forEach(atlas);
})();
