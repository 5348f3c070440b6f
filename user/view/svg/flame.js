// SPDX-License-Identifier: GPL-2.0-or-later
// Flame graphs: click to zoom, search, reset, details under the pointer, keys.
// Each frame is a g.f with data-s and data-w, start and width as shares of all.
(function () {
'use strict';

function flame(svg) {
	const frames = Array.from(svg.querySelectorAll('.f'), function (g) {
		return { g: g, rect: g.querySelector('rect'), text: g.querySelector('text'),
			start: +g.dataset.s, width: +g.dataset.w, depth: +g.dataset.d,
			name: g.dataset.n, detail: g.querySelector('title').textContent };
	});
	const byNode = new Map(frames.map(function (f) { return [f.g, f]; }));
	const detail = svg.querySelector('.detail');
	const found = svg.querySelector('.found');
	const input = svg.querySelector('input');
	const reset = svg.querySelector('button');
	const EPS = 1e-9;
	let focus = frames[0];

	function label(f, share) {
		const room = Math.floor((share * svg.clientWidth - 6) / 6.6);
		f.text.textContent = room < 3 ? '' : f.name.length <= room ? f.name : f.name.slice(0, room - 1) + '\u2026';
	}

	function layout() {
		const end = focus.start + focus.width;
		for (const f of frames) {
			const inside = f.depth >= focus.depth && f.start >= focus.start - EPS && f.start + f.width <= end + EPS;
			const above = f.depth < focus.depth && f.start <= focus.start + EPS && f.start + f.width >= end - EPS;
			f.g.classList.toggle('gone', !inside && !above);
			f.g.classList.toggle('above', above);
			if (!inside && !above)
				continue;
			const x = above ? 0 : (f.start - focus.start) / focus.width;
			const w = above ? 1 : f.width / focus.width;
			f.rect.setAttribute('x', (x * 100).toFixed(4) + '%');
			f.rect.setAttribute('width', (w * 100).toFixed(4) + '%');
			f.text.setAttribute('x', (x * 100).toFixed(4) + '%');
			label(f, w);
		}
	}

	function zoom(f) {
		focus = f;
		layout();
	}

	function search() {
		const wanted = input.value.toLowerCase();
		let sum = 0, end = -1, n = 0;
		for (const f of frames) {
			const hit = wanted !== '' && f.name.toLowerCase().includes(wanted);
			f.g.classList.toggle('hit', hit);
			n += hit;
		}
		// Frames come in depth-first order: what lies in a hit already counted is not counted again.
		for (const f of frames) {
			if (!f.g.classList.contains('hit') || f.start < end - EPS)
				continue;
			sum += f.width;
			end = f.start + f.width;
		}
		found.textContent = wanted === '' ? '' : n + ' frames, ' + (sum * 100).toFixed(2) + ' % of all';
	}

	function frameOf(event) {
		const g = event.target.closest ? event.target.closest('.f') : null;
		return g && byNode.get(g);
	}

	function neighbour(f, key) {
		const shown = frames.filter(function (o) { return !o.g.classList.contains('gone'); });
		const row = shown.filter(function (o) { return o.depth === f.depth; });
		const i = row.indexOf(f);
		switch (key) {
		case 'ArrowLeft':
			return row[i - 1];
		case 'ArrowRight':
			return row[i + 1];
		case 'ArrowUp':
			return shown.find(function (o) {
				return o.depth === f.depth - 1 && o.start <= f.start + EPS && o.start + o.width >= f.start + f.width - EPS;
			});
		case 'ArrowDown':
			return shown.find(function (o) {
				return o.depth === f.depth + 1 && o.start >= f.start - EPS && o.start + o.width <= f.start + f.width + EPS;
			});
		}
		return undefined;
	}

	svg.addEventListener('click', function (event) {
		const f = frameOf(event);
		if (f)
			zoom(f);
	});
	svg.addEventListener('mouseover', function (event) {
		const f = frameOf(event);
		detail.textContent = f ? f.detail : '';
	});
	svg.addEventListener('focusin', function (event) {
		const f = frameOf(event);
		if (f)
			detail.textContent = f.detail;
	});
	svg.addEventListener('keydown', function (event) {
		const f = frameOf(event);
		if (event.key === 'Escape') {
			input.value = '';
			search();
			zoom(frames[0]);
		} else if (f && (event.key === 'Enter' || event.key === ' ')) {
			event.preventDefault();
			zoom(f);
		} else if (f && event.key.startsWith('Arrow')) {
			const next = neighbour(f, event.key);
			event.preventDefault();
			if (next)
				next.g.focus();
		}
	});
	input.addEventListener('input', search);
	reset.addEventListener('click', function () {
		input.value = '';
		search();
		zoom(frames[0]);
	});
	window.addEventListener('resize', layout);
	layout();
}

for (const svg of document.querySelectorAll('svg.flame'))
	if (svg.querySelector('.f'))
		flame(svg);
})();
