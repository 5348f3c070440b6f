/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files beside this one, as strings (see assets.h). */
	.section .rodata
	.macro asset name, file
	.globl \name
	.type \name, @object
\name:
	.incbin "\file"
	.byte 0
	.size \name, . - \name
	.endm

	asset flt_asset_atlas_css, "user/view/svg/atlas.css"
	asset flt_asset_atlas_js, "user/view/svg/atlas.js"
	asset flt_asset_flame_css, "user/view/svg/flame.css"
	asset flt_asset_flame_js, "user/view/svg/flame.js"
	asset flt_asset_kit_css, "user/view/svg/kit.css"
	asset flt_asset_page_css, "user/view/svg/page.css"
	asset flt_asset_plot_css, "user/view/svg/plot.css"

	.section .note.GNU-stack, "", @progbits
