/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assets.h - style and scripts that pictures and pages contain. */
#ifndef FLT_VIEW_ASSETS_H
#define FLT_VIEW_ASSETS_H

extern const char flt_asset_atlas_css[];
extern const char flt_asset_atlas_js[];
extern const char flt_asset_flame_css[];
extern const char flt_asset_flame_js[];
extern const char flt_asset_kit_css[];
extern const char flt_asset_page_css[];
extern const char flt_asset_plot_css[];

#endif
