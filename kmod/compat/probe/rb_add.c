// SPDX-License-Identifier: GPL-2.0-only
/* since 5.12: rb_add() */
#include <linux/rbtree.h>

void test(struct rb_node *node, struct rb_root *root,
	  bool (*less)(struct rb_node *, const struct rb_node *))
{
	rb_add(node, root, less);
}
